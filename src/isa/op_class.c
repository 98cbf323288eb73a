#include "isa/inst.h"

const char *op_class_name(enum op_class c)
{
    static const char *const names[OP_CLASS_COUNT] = {
#define OP_CLASS(name, mem, doc) #name,
#include "isa/op_class.def"
#undef OP_CLASS
    };
    return names[c];
}

bool op_class_is_memory(enum op_class c)
{
    static const bool memory[OP_CLASS_COUNT] = {
#define OP_CLASS(name, mem, doc) mem,
#include "isa/op_class.def"
#undef OP_CLASS
    };
    return memory[c];
}
