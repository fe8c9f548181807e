import { expect, test } from 'vitest'
import { matchesTyped } from './fold.ts'

test.each([
  ['Système', 'systeme', true],
  ['Systeme', 'Système', true],
  ['Vérifier les invariants', 'invariants verif', true],
  ['Vérifier les invariants', 'invariants export', false],
  ['Exporter les commandes', '  ', true],
])('%s with %j typed: %s', (title, typed, matches) => expect(matchesTyped(title, typed)).toBe(matches))
