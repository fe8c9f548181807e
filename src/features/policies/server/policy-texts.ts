import type { Language } from '#shared/languages.ts'
import type { Policy, PolicyBlock } from '../policies.contract.ts'
import { frenchSpaces } from '../policies.rules.ts'
import type { PolicyFacts, PolicyText } from './policy-facts.ts'
import { accessibilityEn } from './texts/accessibility-en.ts'
import { accessibilityFr } from './texts/accessibility-fr.ts'
import { accessibilityNl } from './texts/accessibility-nl.ts'
import { en } from './texts/en.ts'
import { fr } from './texts/fr.ts'
import { nl } from './texts/nl.ts'

const TEXTS: Record<Language, PolicyText> = { fr: (facts) => withFrenchSpaces(fr(facts)), nl, en }

/** The rules, for the page and the PDF. */
export const policyIn = (language: Language, facts: PolicyFacts): Policy => TEXTS[language](facts)

const STATEMENTS: Record<Language, PolicyText> = {
  fr: (facts) => withFrenchSpaces(accessibilityFr(facts)),
  nl: accessibilityNl,
  en: accessibilityEn,
}

export const accessibilityIn = (language: Language, facts: PolicyFacts): Policy => STATEMENTS[language](facts)

const withFrenchSpaces = (policy: Policy): Policy => ({
  ...policy,
  lead: frenchSpaces(policy.lead),
  ...(policy.summary && {
    summary: {
      ...policy.summary,
      points: policy.summary.points.map((point) => ({ ...point, text: frenchSpaces(point.text) })),
    },
  }),
  sections: policy.sections.map((section) => ({ ...section, blocks: section.blocks.map(spaced) })),
})

function spaced(block: PolicyBlock): PolicyBlock {
  switch (block.kind) {
    case 'heading':
    case 'text':
      return { ...block, text: frenchSpaces(block.text) }
    case 'list':
      return { ...block, items: block.items.map(frenchSpaces) }
    case 'facts':
      return {
        ...block,
        facts: block.facts.map(({ name, text }) => ({ name, text: frenchSpaces(text) })),
      }
  }
}
