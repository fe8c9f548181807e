/**
 * How Node starts a process of the shop, so that it keeps little of what a rush has needed (ADR 0113). The units in
 * deploy/systemd and the image say the same; a test compares.
 */

/** Room for new objects and for all others, in MB: on a machine with much memory V8 takes far more before it tidies up. */
export const NODE_LIMITS = ['--max-semi-space-size=8', '--max-old-space-size=768']

/** The C library would keep an arena for each thread, with all that was once free in it. */
export const LIBRARY_LIMITS = { MALLOC_ARENA_MAX: '2' }
