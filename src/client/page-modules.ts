/** Routes around every page: their modules are part of the file that every page runs, and are never loaded alone. */
export const AROUND_EVERY_PAGE: readonly string[] = ['root', 'routes/pages']

/** The document says it to that file once everything the page consists of is there. */
export const MODULES_READY = 'volant:modules'
