import type { Messages } from './keys.ts'

/** The files of a language that browsers receive; every other file beside them is for the server alone. */
export const BROWSER_NAMESPACES = [
  'accounts',
  'cart',
  'checkout',
  'common',
  'errors',
  'frame',
  'home',
  'offers',
  'pages',
  'tickets',
] as const satisfies readonly (keyof Messages)[]

/** Texts that never reach a browser: mails and documents. */
export type ServerNamespace = 'mail' | 'ticketPdf'

type Unlisted = Exclude<keyof Messages, (typeof BROWSER_NAMESPACES)[number]>

/** Fails to compile while a namespace of `Messages` is missing in the list above. */
export const everyNamespaceIsListed: [Unlisted] extends [never] ? true : never = true
