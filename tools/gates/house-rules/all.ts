import { catalogueRules } from './catalogue-rules.ts'
import { codeRules } from './code-rules.ts'
import { documentRules } from './document-rules.ts'
import { layoutRules } from './layout-rules.ts'
import { packageRules } from './package-rules.ts'
import { textRules } from './text-rules.ts'
import { traceRules } from './trace-rules.ts'
import { wordRules } from './word-rules.ts'

/** Every house rule; a rule that lint or the dependency gate can hold is theirs. */
export const HOUSE_RULES = {
  ...codeRules,
  ...layoutRules,
  ...packageRules,
  ...documentRules,
  ...textRules,
  ...catalogueRules,
  ...wordRules,
  ...traceRules,
}

export type RuleName = keyof typeof HOUSE_RULES
export const RULE_NAMES = Object.keys(HOUSE_RULES) as RuleName[]
