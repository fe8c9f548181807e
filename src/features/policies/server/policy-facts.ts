import type { Policy, PolicyBlock } from '../policies.contract.ts'

/** What the rules say of this shop: its settings, as texts and numbers. */
export interface PolicyFacts {
  brand: string
  /** Without a trailing slash. */
  publicUrl: string
  companyName: string
  companyNumber: string
  companyAddress: string
  vatNumber: string | undefined
  /** Where free entries are sent. */
  postalAddress: string
  contactEmail: string
  /** Pages of the two platforms of the live draws. */
  videoUrl: string
  socialUrl: string
  timeZone: string
  holdMinutes: number
  pricesIncludeVat: boolean
  /** How long things about people are kept. */
  keepEmailDays: number
  keepNotificationDays: number
  keepOrderYears: number
  /** In demo mode the rules say that the company is invented. */
  demo: boolean
}

/** A legal text in one language, from the facts. */
export type PolicyText = (facts: PolicyFacts) => Policy

/** Date of the last change of the texts (spec sections 1 and 9). */
export const TERMS_UPDATED = '16.06.2025'
/** Date of the last self-assessment of accessibility, dd.MM.yyyy. */
export const ACCESSIBILITY_UPDATED = '21.11.2026'

export const text = (words: string): PolicyBlock => ({ kind: 'text', text: words })
export const heading = (id: string, words: string): PolicyBlock => ({ kind: 'heading', id, text: words })
export const list = (...items: string[]): PolicyBlock => ({ kind: 'list', items })

/** Rows without a text are left out: settings that an operator need not give. */
export const facts = (...rows: [name: string, words: string | undefined][]): PolicyBlock => ({
  kind: 'facts',
  facts: rows.flatMap(([name, words]) => (words === undefined ? [] : [{ name, text: words }])),
})
