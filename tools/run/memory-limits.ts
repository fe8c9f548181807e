/**
 * How Node starts a process of the shop, so that it keeps little of what a rush has needed (ADR 0113). The units in
 * deploy/systemd and the image say the same; a test compares.
 */

/**
 * Room for new objects in MB, and by how much all others may grow until they are collected: on a machine with much memory V8
 * takes far more of both before it tidies up.
 */
export const NODE_LIMITS = ['--max-semi-space-size=8', '--heap-growing-percent=20']

/**
 * The C library would keep an arena for each thread, with all that was once free in it; and once a large piece was free, it
 * would no longer give pieces of that size back to the system.
 */
export const LIBRARY_LIMITS = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' }
