import { allowsCookies, keepsBetweenPages } from './browser-parts.ts'
import { pageLanguage } from './browser.ts'
import { crossesDocuments, inLanguage, paths } from './paths.ts'

/** The policy of a document that was loaded as the cart serves every page. */
const wasLoadedAsCart = typeof window !== 'undefined' && window.location.pathname === paths.cart()

/**
 * Whether a navigation needs a new document. In a browser that keeps nothing between pages a login would end with the
 * document, so that one which may show the cart stays.
 */
export const needsNewDocument = (from: string, to: string): boolean =>
  crossesDocuments(from, to) && (keepsBetweenPages() || !wasLoadedAsCart)

/** The address of a new document, with the language where no cookie can keep it. */
export const documentPath = (to: string): string => (allowsCookies() ? to : inLanguage(to, pageLanguage()))
