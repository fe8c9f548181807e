import { type PersonalDataSource, isoOrNull } from '#platform/personal-data.ts'
import { textIn } from '#shared/localized-text.ts'
import { deleteCartOf, keptItemsOf } from './cart.repository.ts'

/** What somebody was about to buy. */
export const cartPersonalData = {
  name: 'cart',
  columns: ['carts.user_id', 'cart_items.answer'],
  async export(trx, { userId }, { say, when, language }) {
    const items = (await keptItemsOf(trx, userId)).map(({ titles, quantity, answer, added_at }) => ({
      contest: textIn(titles, language).text,
      quantity,
      answer,
      added_at: isoOrNull(added_at),
    }))
    return [
      {
        name: 'cart',
        data: items,
        title: say('cart.title'),
        blocks: [
          {
            heads: [say('contest'), say('quantity'), say('answer'), say('at')],
            rows: items.map((line) => [
              line.contest,
              String(line.quantity),
              line.answer,
              when(line.added_at),
            ]),
          },
        ],
      },
    ]
  },
  async erase(trx, { userId }) {
    await deleteCartOf(trx, userId)
    return { rows: 0 }
  },
} satisfies PersonalDataSource
