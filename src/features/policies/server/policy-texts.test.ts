import { expect, test } from 'vitest'
import { LANGUAGES } from '#shared/languages.ts'
import { byLanguage } from '#shared/text-fields.ts'
import { type Policy, SUMMARY_POINTS } from '../policies.contract.ts'
import type { PolicyFacts } from './policy-facts.ts'
import { accessibilityIn, policyIn } from './policy-texts.ts'

const FACTS: PolicyFacts = {
  brand: 'Shop',
  publicUrl: 'https://shop.example',
  companyName: 'Straight Ltd',
  companyNumber: '09876543',
  companyCountry: 'GB',
  companyAddress: '5 Honest Street',
  vatNumber: undefined,
  postalAddress: 'PO Box 77',
  claimsEndAfterDays: 46,
  contactEmail: 'contact@shop.example',
  videoUrl: 'https://video.example',
  socialUrl: 'https://social.example',
  timeZone: 'Europe/Brussels',
  holdMinutes: 35,
  drawClaimMinutes: 9 * 1440,
  pricesIncludeVat: false,
  keepEmailDays: 41,
  keepNotificationDays: 42,
  keepOrderYears: 43,
  keepPostDays: 45,
  keepClaimDays: 46,
  keepMessageMonths: 45,
  keepSecurityDays: 44,
  demo: false,
}

/** What every language must have alike: sections, blocks, and how many items each has. */
const structure = ({ sections }: Policy) =>
  sections.map(({ id, blocks }) => ({
    id,
    blocks: blocks.map((block) => {
      if (block.kind === 'heading') return `heading ${block.id}`
      if (block.kind === 'list') return `list ${block.items.length}`
      return block.kind === 'facts' ? `facts ${block.facts.length}` : block.kind
    }),
  }))

test.each(LANGUAGES)(
  'the summary leads to what it sums up, with the figures of the chapters (%s)',
  (language) => {
    const { summary, sections } = policyIn(language, FACTS)
    const anchors = sections.flatMap(({ id, blocks }) => [
      id,
      ...blocks.flatMap((block) => (block.kind === 'heading' ? [block.id] : [])),
    ])
    expect(summary?.points.map(({ id }) => id)).toEqual([...SUMMARY_POINTS])
    for (const { anchor } of summary?.points ?? []) expect(anchors).toContain(anchor)
    const words = JSON.stringify(summary)
    const chapters = JSON.stringify(sections)
    for (const figure of ['18', 'PO Box 77', '9', '14', '24', 'contact@shop.example']) {
      expect(words).toMatch(new RegExp(`\\b${figure}\\b`))
      expect(chapters).toMatch(new RegExp(`\\b${figure}\\b`))
    }
    const costOf = (facts: PolicyFacts) => policyIn(language, facts).summary?.points[0]?.text
    expect(costOf({ ...FACTS, pricesIncludeVat: true })).not.toBe(costOf(FACTS))
  },
)

const sectionOf = (policy: Policy, name: string) => policy.sections.find(({ id }) => id === name)

test.each([FACTS, { ...FACTS, demo: true, vatNumber: 'GB1', pricesIncludeVat: true }])(
  'the three languages have the same structure (%#)',
  (facts) => {
    for (const make of [policyIn, accessibilityIn]) {
      const [fr, nl, en] = LANGUAGES.map((language) => structure(make(language, facts)))
      expect([nl, en]).toEqual([fr, fr])
    }
  },
)

test.each([
  [
    'BE',
    'fr',
    ['immatriculée en Belgique', 'Numéro d’entreprise', 'Banque-Carrefour', 'soumis au droit belge'],
  ],
  ['FR', 'nl', ['die in Frankrijk geregistreerd is', 'SIREN-nummer', 'is het Franse recht van toepassing']],
  ['NL', 'en', ['registered in the Netherlands', 'KvK number', 'governed by Dutch law']],
  ['DE', 'fr', ['immatriculée en Allemagne', 'Handelsregister', 'soumis au droit allemand']],
  ['SE', 'nl', ['die in Zweden geregistreerd is', 'is het recht dat in Zweden geldt van toepassing']],
] as const)(
  'the rules of a company of %s name no other country as its own',
  (companyCountry, language, parts) => {
    const own = { ...FACTS, companyCountry }
    for (const one of LANGUAGES) {
      const words = JSON.stringify([policyIn(one, own), accessibilityIn(one, own)])
      expect(words).not.toMatch(
        /brit|royaume-uni|verenigd koninkrijk|united kingdom|private limited|\bICO\b/i,
      )
      expect(words).toMatch(/Espace économique européen|Europese Economische Ruimte|European Economic Area/)
    }
    const words = JSON.stringify(policyIn(language, own))
    for (const part of parts) expect(words.replaceAll('\u00a0', ' ')).toContain(part)
  },
)

test('courts and an authority are named where a setting names them', () => {
  const all = (text: string) => byLanguage(() => text)
  const words = JSON.stringify(
    policyIn('fr', { ...FACTS, companyCourts: all('tribunaux de Liège'), companyAuthority: all('SPF') }),
  )
  expect(words).toContain('les tribunaux de Liège sont compétents')
  expect(words).toContain('"Autorité de contrôle","text":"SPF"')
  expect(JSON.stringify(policyIn('fr', FACTS))).not.toMatch(/compétents|Autorité de contrôle/)
})

test('the rules have the sections of the specification, and every anchor once [spec 1.8, 2.116-2.119]', () => {
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

test.each([
  ['fr', /participation gratuite[^.]*par personne et par concours/],
  ['nl', /gratis deelname[^.]*per persoon en per wedstrijd/],
  ['en', /free entry[^.]*per person and per contest/],
] as const)(
  'the rules have the terms of the specification (%s) [spec 1.8, 1.22-1.24, 2.118, 2.119, 4.60, 9.16-9.18]',
  (language, once) => {
    const policy = policyIn(language, FACTS)
    const words = JSON.stringify(policy)
    for (const term of [/\b14 (jours|dagen|days)/, /\b7 (jours|dagen|days)/, /24 (heures|uur|hours)/])
      expect(words).toMatch(term)
    expect(words).toMatch(/droit britannique|Britse recht|British law/)

    const use = JSON.stringify(sectionOf(policy, 'terms-of-use'))
    expect(use).toMatch(/(foyer|huisgenoten|households)[^.]*(par courrier|per post|by post)/)
    expect(use).toMatch(/(leur exclusion|uitgesloten|exclude them)[^]*(remboursé|terug|refunded)/)

    const contests = JSON.stringify(sectionOf(policy, 'contests'))
    expect(contests).toMatch(once)
    expect(contests).toContain(FACTS.postalAddress)

    expect(contests).toMatch(/\b9\s(jours après le tirage|dagen na de trekking|days of the draw)/)
    const minutes = JSON.stringify(policyIn(language, { ...FACTS, drawClaimMinutes: 90 }))
    expect(minutes).toMatch(/\b90\s(minutes après|minuten na|minutes of)/)

    const cookies = sectionOf(policy, 'cookies')?.blocks ?? []
    const stored = cookies.flatMap((block) => (block.kind === 'facts' ? block.facts : []))
    expect(stored.map(({ name }) => name)).toEqual([
      '__Host-language',
      'sidebar_state',
      'access',
      'refresh',
      'session_expired',
      'billing_country',
      'contact_sent',
      'draw_register',
      'page-language',
      'volant-pending-order',
      'volant-notice',
      'volant-typed',
      'react-router-scroll-positions',
    ])
  },
)

test.each(LANGUAGES)('the rules depend on the settings (%s)', (language) => {
  const words = (change: Partial<PolicyFacts> = {}) =>
    JSON.stringify(policyIn(language, { ...FACTS, ...change }))
  expect(words()).not.toMatch(/\bundefined\b|\bnull\b|\$\{/)
  expect(words({ demo: true })).toMatch(/inventées|verzonnen|invented/)
  expect(words()).not.toMatch(/inventées|verzonnen|invented/)
  expect(words({ vatNumber: 'GB1' })).toContain('GB1')
  expect(words({ pricesIncludeVat: true })).not.toBe(words())
  // How many numbers wait for post is a term of each contest, not a setting of today.
  expect(words()).toMatch(/fixé à l’ouverture|ligt vast bij de opening|fixed when it opens/)
  for (const days of ['45', '46']) expect(words()).toMatch(new RegExp(`\\b${days} (jours|dagen|days)`))
})

test.each(LANGUAGES)(
  'the accessibility statement names standards, company, faults and contact (%s)',
  (language) => {
    const statement = accessibilityIn(language, FACTS)
    const words = JSON.stringify(statement)
    const { contactEmail, companyName } = FACTS
    const parts = ['WCAG 2.2', 'AA', 'EN 301 549', '24', '35 minut', 'PayPal', contactEmail, companyName]
    for (const part of parts) expect(words).toContain(part)
    expect(words).not.toMatch(/\bundefined\b|\bnull\b|\$\{/)
    expect(statement.updated).toMatch(/^\d\d\.\d\d\.\d{4}$/)
    const sections = ['standard', 'measures', 'testing', 'shortcomings', 'report', 'enforcement']
    expect(statement.sections.map(({ id }) => id)).toEqual(sections)
    // The first section refers to the faults by this number.
    expect(words).toMatch(/(section|deel) 4/)
  },
)
