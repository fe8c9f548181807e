import { fillCart } from '../shop.ts'
import type { Stage, State } from '../state.ts'

/** The provider's pages, as the local emulator draws them: where a buyer approves, or cannot. */
const provider = (name: string, path: (stage: Stage) => Promise<string> | string): State => ({
  name: `provider/${name}`,
  open: async (stage) => {
    const address = new URL(await path(stage), stage.shop.paypalUrl)
    address.searchParams.set('locale', stage.language)
    await stage.page.goto(address.href)
  },
})

export const PROVIDER_STATES: readonly State[] = [
  provider('approve', approval),
  provider('unknown-order', () => '/checkoutnow?token=NOWHERE'),
  provider('ledger', () => '/'),
]

/** Where somebody approves an order made in the language of the pictures: the same one each time. */
async function approval({ shop, contests, language }: Stage): Promise<string> {
  const buyer = await shop.logInAs(`approves-${language}`, language)
  const [cart] = await shop.call<{ items: unknown[] }[]>('GET', '/api/cart/', buyer)
  if (cart?.items.length === 0) {
    const offers = await shop.call<{ id: number; slug: string }[]>('GET', '/api/offers/', buyer)
    const plain = offers.find(({ slug }) => slug === contests.plain)
    if (!plain) throw new Error('the contest without a question is not for sale')
    await fillCart(shop, buyer, [[plain, 3]])
  }
  const body = { country_code: 'BE' }
  const order = await shop.call<{ payment_url: string }>(
    'POST',
    '/api/paypal/create-order/',
    { ...buyer, language },
    body,
  )
  return order.payment_url
}
