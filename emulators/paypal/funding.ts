/** What the emulator's buttons draw: all lead to one approval page. Of banks the country is the account's. */
export const FUNDING = {
  paypal: { brand: 'PayPal' },
  venmo: { brand: 'Venmo' },
  bancontact: { brand: 'Bancontact', bankIn: 'BE' },
  ideal: { brand: 'iDEAL', bankIn: 'NL' },
  eps: { brand: 'eps', bankIn: 'AT' },
  mybank: { brand: 'MyBank', bankIn: 'IT' },
  p24: { brand: 'Przelewy24', bankIn: 'PL' },
} as const satisfies Record<string, { brand: string; bankIn?: string }>

export type Funding = keyof typeof FUNDING

export const FUNDING_NAMES = Object.keys(FUNDING) as readonly Funding[]

export const fundingOf = (name: string | undefined): Funding | undefined =>
  FUNDING_NAMES.find((one) => one === name)
