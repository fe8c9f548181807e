import { countryName } from '#shared/countries.ts'
import { useShell } from './shell.ts'

/** Names countries in the visitor's language; where tickets are sold, by the server's names. @returns see `countryName` */
export function useCountryNames(): (code: string) => string {
  const { countries, language } = useShell()
  return (code) =>
    countries.find((one) => one.code === code.toUpperCase())?.name ?? countryName(code, language)
}
