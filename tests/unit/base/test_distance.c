/* Edit distance and suggestions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <string.h>

#include "base/distance.h"

static void distance_counts_inserts_deletes_and_changes(void **state)
{
    (void)state;
    assert_int_equal(edit_distance("run", "run"), 0);
    assert_int_equal(edit_distance("", "run"), 3);
    assert_int_equal(edit_distance("run", ""), 3);
    assert_int_equal(edit_distance("kitten", "sitting"), 3);
    assert_int_equal(edit_distance("rnu", "run"), 2);
}

static void long_words_have_no_distance(void **state)
{
    (void)state;
    char word[DISTANCE_MAX_LEN + 2];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_int_equal(edit_distance(word, "run"), UINT_MAX);
    word[DISTANCE_MAX_LEN] = '\0';
    assert_int_equal(edit_distance(word, ""), DISTANCE_MAX_LEN);
}

static const char *suggest(const char *word)
{
    static const char *const words[] = {"run", "inspect", "config", "conf"};
    struct closest c = {.word = word};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        closest_offer(&c, words[i]);
    return c.found ? c.found : "";
}

static void nearest_word_is_suggested_and_the_first_of_equals(void **state)
{
    (void)state;
    assert_string_equal(suggest("inspct"), "inspect");
    assert_string_equal(suggest("rnu"), "run");
    assert_string_equal(suggest("confi"), "config");
}

static void distant_word_gets_no_suggestion(void **state)
{
    (void)state;
    assert_string_equal(suggest("xyzzy"), "");
    assert_string_equal(suggest("ab"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_counts_inserts_deletes_and_changes),
        cmocka_unit_test(long_words_have_no_distance),
        cmocka_unit_test(nearest_word_is_suggested_and_the_first_of_equals),
        cmocka_unit_test(distant_word_gets_no_suggestion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
