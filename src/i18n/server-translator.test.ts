import { describe, expect, test } from 'vitest'
import { translate } from './server-translator.ts'

describe('the server speaks', () => {
  test('the language it is asked for', () => {
    expect(translate('fr', 'errors.cart.wrongAnswer')).toBe('Mauvaise réponse.')
    expect(translate('en', 'errors.email.required')).toBe('Email is required')
  })

  test('with values and plurals', () => {
    expect(translate('fr', 'errors.offer.fewLeft', { remaining: 1, title: 'Aube' })).toBe(
      'Il ne reste qu’un billet pour «\u00a0Aube\u00a0».',
    )
    expect(translate('fr', 'errors.offer.fewLeft', { remaining: 3, title: 'Aube' })).toBe(
      'Il ne reste que 3 billets pour «\u00a0Aube\u00a0».',
    )
  })

  test('and leaves text that looks like markup alone', () => {
    expect(translate('fr', 'errors.offer.soldOut', { title: '<b>A</b>' })).toContain('«\u00a0<b>A</b>\u00a0»')
  })

  test('a message that does not exist is a fault', () => {
    expect(() => translate('nl', 'ticketPdf.nothingOfTheKind')).toThrow(
      'no message: ticketPdf.nothingOfTheKind',
    )
    expect(() => translate('nl', 'errors.toString' as 'errors.network')).toThrow(RangeError)
  })
})
