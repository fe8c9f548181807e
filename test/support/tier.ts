/** True in `npm run test:extended`: everything that `npm test` runs, in its long form, and what only the long run has. */
export const isExtended: boolean = process.env['VOLANT_TESTS'] === 'extended'

/** The one of two sizes that belongs to this run. */
export const sized = <T>(sizes: { short: T; extended: T }): T => (isExtended ? sizes.extended : sizes.short)
