/** Routes around every page, whose modules are part of the entry file. */
export const AROUND_EVERY_PAGE: readonly string[] = ['root', 'routes/pages']

/** Event of the document when all modules of the page are loaded. */
export const MODULES_READY = 'volant:modules'
