import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '#shared/languages.ts'
import type { Policy } from '../policies.contract.ts'
import type { PolicyFacts } from './policy-facts.ts'
import { accessibilityIn, policyIn } from './policy-texts.ts'

const FACTS: PolicyFacts = {
  brand: 'Shop',
  publicUrl: 'https://shop.example',
  companyName: 'Straight Ltd',
  companyNumber: '09876543',
  companyAddress: '5 Honest Lane',
  vatNumber: undefined,
  postalAddress: 'PO Box 77',
  contactEmail: 'contact@shop.example',
  videoUrl: 'https://video.example',
  socialUrl: 'https://social.example',
  timeZone: 'Europe/Brussels',
  holdMinutes: 35,
  pricesIncludeVat: false,
  keepEmailDays: 41,
  keepNotificationDays: 42,
  keepOrderYears: 43,
  demo: false,
}

/** What every language must have alike: sections, blocks, how many points each has, what stands for itself. */
const structure = ({ sections }: Policy) =>
  sections.map(({ id, blocks }) => ({
    id,
    blocks: blocks.map((block) => {
      if (block.kind === 'heading') return `heading ${block.id}`
      if (block.kind === 'list') return `list ${block.items.length}`
      return block.kind === 'facts' ? `facts ${block.facts.length}` : block.kind
    }),
  }))

const wordsOf = (policy: Policy): string => JSON.stringify(policy)

test.each([FACTS, { ...FACTS, demo: true, vatNumber: 'GB1', pricesIncludeVat: true }])(
  'the three languages say the same things in the same places (%#)',
  (facts) => {
    const [fr, nl, en] = LANGUAGES.map((language) => structure(policyIn(language, facts)))
    expect(nl).toEqual(fr)
    expect(en).toEqual(fr)
  },
)

test('has the sections of the specification, and every anchor once [spec 1.8, 2.116-2.119]', () => {
  const { sections } = policyIn('fr', FACTS)
  expect(sections.map(({ id }) => id)).toEqual([
    'legal-notices',
    'purpose',
    'terms-of-use',
    'contests',
    'intellectual-property',
    'data-protection',
    'cookies',
    'liability',
    'applicable-law',
    'refunds',
  ])
  const anchors = sections.flatMap(({ id, blocks }) => [
    id,
    ...blocks.flatMap((block) => (block.kind === 'heading' ? [block.id] : [])),
  ])
  expect(anchors).toContain('free-entry')
  expect(new Set(anchors).size).toBe(anchors.length)
})

test.each(LANGUAGES)(
  'keeps the promises of the specification (%s) [spec 1.22-1.24, 2.119, 4.60, 9.16-9.18]',
  (language) => {
    const words = wordsOf(policyIn(language, FACTS))
    for (const promise of [/\b14 (jours|dagen|days)/, /\b7 (jours|dagen|days)/, /24 (heures|uur|hours)/])
      expect(words).toMatch(promise)
    expect(words).toMatch(/droit britannique|Britse recht|British law/)
  },
)

test.each([
  ['fr', /participation gratuite[^.]*par personne et par concours/],
  ['nl', /gratis deelname[^.]*per persoon en per wedstrijd/],
  ['en', /free entry[^.]*per person and per contest/],
] as const)(
  'tells the free way by post, once per person and per contest (%s) [spec 1.8]',
  (language, once) => {
    const contests = policyIn(language, FACTS).sections.find(({ id }) => id === 'contests')
    expect(JSON.stringify(contests)).toMatch(once)
    expect(JSON.stringify(contests)).toContain(FACTS.postalAddress)
  },
)

test.each(LANGUAGES)('names everything that the browser stores (%s) [spec 2.118]', (language) => {
  const cookies = policyIn(language, FACTS).sections.find(({ id }) => id === 'cookies')
  const names = cookies?.blocks.flatMap((block) => (block.kind === 'facts' ? block.facts : []))
  expect(names?.map(({ name }) => name)).toEqual([
    'language',
    'sidebar_state',
    'access',
    'refresh',
    'billing_country',
    'contact_sent',
    'volant-pending-order',
    'volant-notice',
    'react-router-scroll-positions',
  ])
})

test.each(LANGUAGES)('changes with the settings (%s)', (language) => {
  const plain = wordsOf(policyIn(language, FACTS))
  expect(plain).not.toMatch(/\bundefined\b|\bnull\b|\$\{/)
  const [invented, vat, included] = [{ demo: true }, { vatNumber: 'GB1' }, { pricesIncludeVat: true }].map(
    (change) => wordsOf(policyIn(language, { ...FACTS, ...change })),
  )
  expect(invented).toMatch(/inventées|verzonnen|invented/)
  expect(plain).not.toMatch(/inventées|verzonnen|invented/)
  expect(vat).toContain('GB1')
  expect(included).not.toBe(plain)
})

describe('the accessibility statement', () => {
  test('says the same things in the same places, in three languages', () => {
    const [fr, nl, en] = LANGUAGES.map((language) => structure(accessibilityIn(language, FACTS)))
    expect(nl).toEqual(fr)
    expect(en).toEqual(fr)
    expect(fr?.map(({ id }) => id)).toEqual([
      'standard',
      'measures',
      'testing',
      'shortcomings',
      'report',
      'enforcement',
    ])
  })

  test.each(LANGUAGES)('names standards, owner, faults, and whom to tell (%s)', (language) => {
    const statement = accessibilityIn(language, FACTS)
    const words = wordsOf(statement)
    for (const part of [
      'WCAG 2.2',
      'AA',
      'EN 301 549',
      '24',
      '35 minut',
      'PayPal',
      FACTS.contactEmail,
      FACTS.companyName,
    ])
      expect(words).toContain(part)
    expect(words).not.toMatch(/\bundefined\b|\bnull\b|\$\{/)
    expect(statement.updated).toMatch(/^\d\d\.\d\d\.\d{4}$/)
    // "section 4" of the first section is that of the faults.
    expect(statement.sections[3]?.id).toBe('shortcomings')
    expect(words).toMatch(/(section|deel) 4/)
  })
})
