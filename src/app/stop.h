/* Ctrl-C and SIGTERM: a flag that the simulation looks at. A second signal ends the program. */
#ifndef SUBCORE_APP_STOP_H
#define SUBCORE_APP_STOP_H

#include <signal.h>

/* Catches both signals from now on; returns the flag. */
const volatile sig_atomic_t *stop_install(void);

#endif
