import { catalogueRules } from './catalogue-rules.ts'
import { repositoryRules } from './repository-rules.ts'
import { textRules } from './text-rules.ts'
import { wordRules } from './word-rules.ts'

/** Every house rule; what lint or the dependency gate can check is theirs. */
export const HOUSE_RULES = { ...repositoryRules, ...textRules, ...catalogueRules, ...wordRules }

export type RuleName = keyof typeof HOUSE_RULES
export const RULE_NAMES = Object.keys(HOUSE_RULES) as RuleName[]
