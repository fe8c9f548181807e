/** Invented buyers of the demonstration, by country: common given names and surnames, joined at random. */
import type { Language } from '#shared/languages.ts'

export interface Region {
  country: 'BE' | 'FR' | 'NL' | 'LU' | 'DE'
  language: Language
  /** How many of a hundred buyers live there. */
  share: number
  given: readonly string[]
  surnames: readonly string[]
}

const words = (text: string): string[] => text.split(' ')

export const REGIONS: readonly Region[] = [
  {
    country: 'BE',
    language: 'fr',
    share: 24,
    given: words('julie thomas camille maxime laura nicolas manon olivier chloe quentin elise benoit'),
    surnames: words('lambert dubois simon renard collard marchal gilson noel pirotte defays'),
  },
  {
    country: 'BE',
    language: 'nl',
    share: 24,
    given: words('lies wouter anke stijn elke jeroen nele tom sarah dries hanne koen'),
    surnames: words('peeters claes wouters goossens maes hermans smets aerts willems mertens'),
  },
  {
    country: 'FR',
    language: 'fr',
    share: 24,
    given: words('lea hugo emma louis ines antoine jeanne mathis clara romain margaux adrien'),
    surnames: words('moreau girard roussel fontaine garnier chevalier perrin blanchard gauthier lemoine'),
  },
  {
    country: 'NL',
    language: 'nl',
    share: 16,
    given: words('sanne daan femke ruben iris bas marloes sem nienke thijs'),
    surnames: words('visser bakker mulder dekker brouwer kuiper schouten vermeer postma kok'),
  },
  {
    country: 'LU',
    language: 'fr',
    share: 5,
    given: words('lynn marc tania luc carole yves'),
    surnames: words('weber muller schmit hoffmann wagner thill'),
  },
  {
    country: 'DE',
    language: 'en',
    share: 7,
    given: words('lena jonas mia felix katrin lukas anja timo'),
    surnames: words('becker schulz hartmann krause vogel brandt winkler lorenz'),
  },
]

/** Staff beside the owner; who they are decides what the console shows them. */
export const STAFF = {
  support: { username: 'helene', email: 'aide@volant.example' },
  postal: { username: 'bart', email: 'courrier@volant.example' },
} as const
