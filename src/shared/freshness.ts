/**
 * How old what a page is made of may be when a page is made, and how old a page when it is sent. A page shows every
 * sale and every change within a second, whichever process it happened in: both together are that,
 * less a tenth of a second for making and sending.
 */
export const ANSWER_MS = 450
export const PAGE_MS = 450
