/** Maximum age in ms of data and page: changes show within a second, with a tenth for rendering and sending. */
export const RESPONSE_MS = 450
export const PAGE_MS = 450
/** For how long a cache between shop and browser may keep what is the same for everybody, in whole seconds. */
export const SHARED_MS = 1_000
