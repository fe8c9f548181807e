import type { CompanySettings } from '#i18n/company.ts'
import type { Retention } from '#platform/personal-data.ts'
import {
  type Policy,
  type PolicyBlock,
  type PolicySummary,
  type SummaryPoint,
  SUMMARY_POINTS,
} from '../policies.contract.ts'

export interface PolicyFacts extends CompanySettings, Retention {
  brand: string
  /** Without a trailing slash. */
  publicUrl: string
  companyName: string
  companyNumber: string
  companyAddress: string
  vatNumber: string | undefined
  /** For free entries. */
  postalAddress: string
  /** The time for claims has passed so many days after a contest's end. */
  claimsEndAfterDays: number
  contactEmail: string
  /** The platforms of the live draws. */
  videoUrl: string
  socialUrl: string
  timeZone: string
  holdMinutes: number
  drawClaimMinutes: number
  pricesIncludeVat: boolean
  /** The rules then call the company invented. */
  demo: boolean
}

export type PolicyText = (facts: PolicyFacts) => Policy

/** Date of the last change of the texts (spec sections 1 and 9). */
export const TERMS_UPDATED = '16.06.2025'
/** Date of the last self-assessment of accessibility, dd.MM.yyyy. */
export const ACCESSIBILITY_UPDATED = '21.11.2026'

export const text = (words: string): PolicyBlock => ({ kind: 'text', text: words })
/** A paragraph of sentences; one that is not said is left out. */
export const sentences = (...all: (string | undefined)[]): PolicyBlock =>
  text(all.filter((one) => one !== undefined).join(' '))
export const heading = (id: string, words: string): PolicyBlock => ({ kind: 'heading', id, text: words })
export const list = (...items: string[]): PolicyBlock => ({ kind: 'list', items })

/** Where the rules say all of what a point sums up. */
const ANCHORS: Record<SummaryPoint, string> = {
  cost: 'tickets',
  who: 'terms-of-use',
  post: 'free-entry',
  draw: 'draw',
  claim: 'draw',
  refund: 'refunds',
  contact: 'legal-notices',
}

export const summary = (
  title: string,
  note: string,
  points: Record<SummaryPoint, readonly [name: string, words: string]>,
): PolicySummary => ({
  title,
  note,
  points: SUMMARY_POINTS.map((id) => {
    const [name, words] = points[id]
    return { id, anchor: ANCHORS[id], name, text: words }
  }),
})

/** A row without a text is left out. */
export const facts = (...rows: [name: string, words: string | undefined][]): PolicyBlock => ({
  kind: 'facts',
  facts: rows.flatMap(([name, words]) => (words === undefined ? [] : [{ name, text: words }])),
})
