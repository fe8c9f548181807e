/**
 * Maximum age in ms of the data of a page and of the page itself: a page shows every change within a second, with a
 * tenth left for rendering and sending.
 */
export const ANSWER_MS = 450
export const PAGE_MS = 450
