import { cleanLine } from './typed-text.ts'

/** RFC 5321: of an address, of its part before the @, and of a domain and its labels (RFC 1035). */
export const EMAIL_MAX = 254
const LOCAL_MAX = 64
const DOMAIN_MAX = 253

/** RFC 5322, `dot-atom` of ASCII: what every mail server takes, without extensions. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** Neither a number, which would be a version or an address of a machine, nor of one letter. */
const TOP_LABEL = /^(?:xn--[a-z0-9-]+|[a-z][a-z0-9-]*[a-z0-9])$/

/** What a browser would take for another part of an address, or decode. */
const NO_DOMAIN = /[\s%:/?#@[\]\\]/

/** Replaces an erased address. Nobody can register it: `readAddress` refuses its domain, which RFC 2606 keeps free. */
export const ERASED_EMAIL = 'erased@erased.invalid'
const ERASED_DOMAIN = 'erased.invalid'

/** Whether it stands for an address that was erased: nobody reads what is sent to it. */
export const isErasedEmail = (email: string): boolean => email.toLowerCase().endsWith(`@${ERASED_DOMAIN}`)

/** A domain as mail servers know it: in small letters, and other letters than ASCII as "xn--…" (IDNA, UTS 46). */
function asciiDomain(typed: string): string | undefined {
  if (NO_DOMAIN.test(typed)) return undefined
  try {
    const domain = new URL(`http://${typed}/`).hostname
    const labels = domain.split('.')
    const isWritten = labels.length > 1 && labels.every((label) => LABEL.test(label))
    // A browser reads "1.2" as 1.0.0.2.
    return isWritten && domain.length <= DOMAIN_MAX && TOP_LABEL.test(labels.at(-1) ?? '')
      ? domain
      : undefined
  } catch {
    return undefined
  }
}

/** Both parts of a typed address: without what pasting brings along; a wide @ counts as one. */
function partsOf(typed: string): { local: string; domain: string } | undefined {
  const parts = cleanLine(typed)
    .replaceAll(/[＠﹫]/g, '@')
    .replace(/^mailto:/i, '')
    .split('@')
  const [local, domain] = parts
  return parts.length === 2 && local !== undefined && domain !== undefined ? { local, domain } : undefined
}

/**
 * The one spelling of a typed address (spec section 5) that is stored and compared: the part before the @ as typed, the
 * domain as mail servers know it ("u@München.example" gives "u@xn--mnchen-3ya.example").
 * @returns undefined for what is no address that every mail server takes
 */
export function readAddress(typed: string): string | undefined {
  const parts = partsOf(typed)
  const domain = parts && asciiDomain(parts.domain)
  if (!parts || domain === undefined || domain === ERASED_DOMAIN) return undefined
  if (parts.local.length > LOCAL_MAX || !LOCAL.test(parts.local)) return undefined
  const address = `${parts.local}@${domain}`
  return address.length <= EMAIL_MAX ? address : undefined
}

/** Whether only letters before the @ that many mail servers cannot deliver to make an address invalid ("jörg@…"). */
export function hasForeignLocalPart(typed: string): boolean {
  const parts = partsOf(typed)
  if (!parts || !/[^\0-\u{7F}]/u.test(parts.local)) return false
  return readAddress(`${parts.local.replaceAll(/[^\0-\u{7F}]/gu, 'x')}@${parts.domain}`) !== undefined
}

/** The stored spelling of what may be an address; any other text, such as a username, as it is. */
export const asAddress = (text: string): string => readAddress(text) ?? text

/** Whether a text could be an address or a login by one, valid for the shop or not. */
export const looksLikeAddress = (text: string): boolean =>
  /^[^\s\p{C}@,;<>()"]+@[^\s\p{C}@,;<>()"]+\.[^\s\p{C}@.,;<>()"]{2,}$/u.test(text)

/** Whether two addresses are one, however they are typed. Some letters (`ϴ` and `θ`) are equal in one case only. */
export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [asAddress(one), asAddress(other)]
  return first.toLowerCase() === second.toLowerCase() && first.toUpperCase() === second.toUpperCase()
}
