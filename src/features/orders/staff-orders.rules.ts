/** Limits of the list of orders in the console. Apart from the contract, whose schemas no screen of it loads. */

/** Orders chosen one by one whose receipts are sent again at once. */
export const RESEND_CHOSEN = 100
/** The same of orders that filters find. */
export const RESEND_FOUND = 500

/** Saved views of one person, and the length of a name. */
export const VIEWS_MAX = 20
export const VIEW_NAME = 60
