/** The settings a browser may see: answered by GET /api/settings/ and rendered into every page. */
export interface PublicSettings {
  /** The shop's name, used in titles and the copyright line. */
  brand: string
  /** Public address of the shop without a trailing slash. */
  publicUrl: string
  /** Zone in which all dates are shown. */
  timeZone: string
  /** Whether `ticket_price` contains the VAT. */
  pricesIncludeVat: boolean
  /** Minutes that tickets stay reserved for an order. */
  holdMinutes: number
  passwordPolicy: 'basic' | 'strong'
  /** Whether the registration form shows the partner code field. */
  registerCodeField: boolean
  /** Live draws (spec section 1): pages of the two platforms. */
  videoUrl: string
  socialUrl: string
  adminUrl: string
  partnerEmail: string
  contactEmail: string
  /** Who operates the shop: named at the foot of every page. */
  company: { name: string; number: string; address: string }
  developer: { name: string; url: string }
  /** The e-mail service of the contact form; null when our own server takes its messages. */
  emailService: { origin: string; publicKey: string; serviceId: string; templateId: string } | null
  /** True in demo mode: the pages say that payments are not real. */
  demo: boolean
  /** Pictures of the home page that lie elsewhere, by address or path; null for the shop's own. */
  pictures: Record<'hero' | 'sport' | 'electric' | 'everyday', string | null>
  /** True where emails are kept in the demonstration's mailbox instead of being sent. */
  mailbox: boolean
  paypal: {
    clientId: string
    /** Address that serves `/sdk/js`. */
    sdkBaseUrl: string
    /** `enable-funding` list of the script. */
    funding: string
    /** `redirect` never loads the provider's script. */
    flow: 'buttons' | 'redirect'
  }
}
