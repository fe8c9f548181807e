import type { InLanguages } from './localized-text.ts'

/** The payment provider as buyers know it. */
export const PROVIDER_NAME = 'PayPal'

/** The public settings: GET /api/settings/, and part of every page. */
export interface PublicSettings {
  brand: string
  /** Without a trailing slash. */
  publicUrl: string
  timeZone: string
  /** Of `ticket_price`. */
  pricesIncludeVat: boolean
  holdMinutes: number
  /** How long a winner has to claim; the terms of each contest have their own. */
  claimMinutes: number
  passwordPolicy: 'basic' | 'strong'
  registerCodeField: boolean
  /** Platforms of the live draws (spec section 1). */
  videoUrl: string
  socialUrl: string
  adminUrl: string
  partnerEmail: string
  contactEmail: string
  company: {
    name: string
    number: string
    address: string
    /** Two capital letters. */
    country: string
    vatNumber: string | null
    /** "in the United Kingdom". */
    place: InLanguages
    /** What the number is called. */
    numberName: InLanguages
    /** The company's entry in its register. */
    registerUrl: string | null
    /** The demonstration's company, which is in no register. */
    isInvented: boolean
  }
  /** Who runs the shop, by name, with a sentence. */
  operator: { name: string; words: InLanguages | null; isInvented: boolean } | null
  developer: { name: string; url: string }
  /** null when our own server takes the messages. */
  emailService: { origin: string; publicKey: string; serviceId: string; templateId: string } | null
  /** The pages then say that payments are not real. */
  demo: boolean
  /** Addresses or paths of other pictures; null for the shop's own. */
  pictures: Record<'hero' | 'sport' | 'electric' | 'everyday' | 'operator', string | null>
  /** True where emails are kept in the mailbox instead of being sent. */
  mailbox: boolean
  paypal: {
    clientId: string
    /** Address that serves `/sdk/js`. */
    sdkBaseUrl: string
    /** Further methods of the script's buttons, for `fundingFor`. */
    funding: string
    /** What these methods are called. */
    ways: string[]
    /** `redirect` never loads the provider's script. */
    flow: 'buttons' | 'redirect'
  }
}
