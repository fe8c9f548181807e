import { LANGUAGES } from '#shared/languages.ts'
import type { Caller, ShotShop } from './shop.ts'

/** Contests that the states open, by what is special about them. */
export interface Contests {
  question: { slug: string; right: string; wrong: string }
  plain: string
  soldOut: string
  ended: string
}

interface OfferRow {
  id: number
  slug: string
  question: string | null
}

/**
 * Gives the buyer a history: numbers in a running contest and in one that has ended, and a cart with two lines. Somebody else buys in each
 * language, and gets mails in it.
 * @returns the contests by what is special about them
 */
export async function furnish(shop: ShotShop): Promise<Contests> {
  const offers = await shop.db
    .selectFrom('offers')
    .select([
      'id',
      'slug',
      'question',
      'choices',
      'correct_choice',
      'tickets_sold',
      'total_tickets',
      'end_date',
    ])
    .orderBy('end_date', 'desc')
    .execute()
  const running = offers.filter(
    (one) => one.end_date > new Date() && one.tickets_sold + 50 < one.total_tickets,
  )
  const asks = running.find((one) => one.question !== null && one.total_tickets > 1_000)
  const plain = running.find((one) => one.question === null)
  const soldOut = offers.find((one) => one.tickets_sold >= one.total_tickets)
  const ended = offers.find((one) => one.end_date <= new Date() && one !== soldOut)
  if (!asks || !plain || !soldOut || !ended) throw new Error('the demonstration lacks a kind of contest')
  const wrong = asks.choices.find((one) => one !== asks.correct_choice) ?? ''
  const right = asks.correct_choice ?? ''

  const buyer = await shop.logIn('buyer')
  await buy(shop, buyer, plain, 3)
  await buy(shop, buyer, asks, 14, right)
  await endEarly(shop, buyer, running.filter((one) => one !== plain && one !== asks)[0], 2)
  for (const language of LANGUAGES) {
    const reader = await shop.logInAs(`reads-${language}`, language)
    await buy(shop, { ...reader, language }, plain, 3)
  }
  await fillCart(shop, buyer, [
    [asks, 2, right],
    [plain, 5],
  ])
  const question = { slug: asks.slug, right, wrong }
  return { question, plain: plain.slug, soldOut: soldOut.slug, ended: ended.slug }
}

const cartOf = async (shop: ShotShop, tokens: Caller): Promise<number> =>
  (await shop.call<{ id: number }[]>('GET', '/api/cart/', tokens))[0]?.id ?? 0

/** Puts lines into a cart that may have others. */
export async function fillCart(
  shop: ShotShop,
  tokens: Caller,
  lines: readonly (readonly [{ id: number }, number, string?])[],
): Promise<void> {
  const cart = await cartOf(shop, tokens)
  for (const [offer, quantity, answer] of lines) {
    const body = { offer_id: offer.id, quantity, ...(answer !== undefined && { answer }) }
    await shop.call('POST', `/api/cart/${cart}/add_item/`, tokens, body)
  }
}

async function buy(shop: ShotShop, tokens: Caller, offer: OfferRow, quantity: number, answer?: string) {
  await fillCart(shop, tokens, [[offer, quantity, answer]])
  const order = { country_code: 'BE' }
  const { order_id } = await shop.call<{ order_id: string }>(
    'POST',
    '/api/paypal/create-order/',
    tokens,
    order,
  )
  await shop.paypal.approve(order_id, 'buyer@buyer.test')
  await shop.call('POST', '/api/paypal/capture-payment/', tokens, { order_id })
}

/** Buys in a contest and lets that end, as the calendar would have. */
async function endEarly(
  shop: ShotShop,
  tokens: Caller,
  offer: (OfferRow & { correct_choice: string | null }) | undefined,
  quantity: number,
): Promise<void> {
  if (!offer) throw new Error('the demonstration lacks a third running contest')
  await buy(shop, tokens, offer, quantity, offer.correct_choice ?? undefined)
  const yesterday = new Date(Date.now() - 86_400_000)
  await shop.db.updateTable('offers').set({ end_date: yesterday }).where('id', '=', offer.id).execute()
}
