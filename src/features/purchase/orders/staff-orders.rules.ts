/** Limits of the list of orders in the console. Apart from the contract, whose schemas no screen of it loads. */

/** Orders chosen one by one whose receipts are sent again at once. */
export const RESEND_CHOSEN = 100
/** The same of orders that filters find. */
export const RESEND_FOUND = 500

/** Most orders chosen one by one for an export. */
export const EXPORT_CHOSEN = 1_000

/** Emails, notifications and acts of staff on an order's page, the newest of each, and how many more at a time. */
export const HISTORY_ENTRIES = 50
export const HISTORY_MORE = 200
export const HISTORY_MOST = 100_000

/** Saved views of one person, and the length of a name. */
export const VIEWS_MAX = 20
export const VIEW_NAME = 60
