/** `PAYPAL_FUNDING`: `venmo` is for everybody, `bancontact:BE` for buyers who are billed in Belgium. */
const entries = (setting: string): { method: string; country: string | undefined }[] =>
  setting.split(',').flatMap((entry) => {
    const [method, country] = entry.split(':')
    return method ? [{ method, country }] : []
  })

/** Of methods whose name differs from their key. */
export const FUNDING_NAMES: Readonly<Record<string, string>> = {
  bancontact: 'Bancontact',
  ideal: 'iDEAL',
  mybank: 'MyBank',
  p24: 'Przelewy24',
  venmo: 'Venmo',
}

/** All methods of the setting, each once. */
export const fundingMethods = (setting: string): string[] => [
  ...new Set(entries(setting).map(({ method }) => method)),
]

/** The methods for buyers of a country, as the provider's script reads them. */
export const fundingFor = (setting: string, country: string | undefined): string =>
  entries(setting)
    .filter((one) => one.country === undefined || one.country === country)
    .map(({ method }) => method)
    .join(',')
