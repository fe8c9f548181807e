import { expect, test } from 'vitest'
import { LANGUAGES } from '#shared/languages.ts'
import { ALERT_DETAILS, ALERT_KINDS, ALERT_REASONS, isCents } from './alerts.rules.ts'

test.each(LANGUAGES)(
  'every detail, kind and reason that is raised has words in %s, and no other',
  async (language) => {
    const { default: words } = await import(`../../i18n/${language}/consoleAlerts.json`)
    expect(Object.keys(words.details).toSorted()).toEqual(ALERT_DETAILS.toSorted())
    expect(Object.keys(words.kinds).toSorted()).toEqual(ALERT_KINDS.toSorted())
    expect(Object.keys(words.reasons).toSorted()).toEqual(ALERT_REASONS.toSorted())
  },
)

test.each([
  ['left_cents', -5, true],
  ['cents', 1_500_000_000, true],
  ['ours_cents', null, false],
  ['percents', 5, false],
  ['cents', 0.5, false],
])('a detail %s of %s is a sum: %s', (name, value, is) => expect(isCents(name, value)).toBe(is))
