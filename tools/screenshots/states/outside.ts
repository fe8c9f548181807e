import type { Mailbox, MailboxEmail } from '#features/emails/emails.contract.ts'
import { enqueueEmail } from '#features/emails/server/index.ts'
import { REMINDER_KINDS, type ReminderKind } from '#features/favourites/favourites.contract.ts'
import { fillCart } from '../shop.ts'
import { awake, cut, press, printed, see, state, type Stage, type State } from '../state.ts'

/** A kind of mail in the language of the pictures, as a mail program shows its HTML. */
const mail = (name: string, kind: string, more: Partial<State> = {}): State => ({
  name: `mail/${name}`,
  withoutScripts: true,
  open: async ({ page, shop, language }) => {
    const emails = await shop.call<Mailbox>('GET', '/api/demo/emails/')
    const one = emails.find((entry) => entry.kind === kind && entry.language === language)
    if (!one) throw new Error(`no mail "${kind}" in ${language}; there are: ${kindsOf(emails)}`)
    const { html_url: url } = await shop.call<MailboxEmail>('GET', `/api/demo/emails/${one.id}/`)
    await page.goto(url)
  },
  ...more,
})

const kindsOf = (emails: Mailbox): string =>
  emails.map(({ kind, language }) => `${kind} (${language})`).join(', ')

/** A reminder of a contest in the language of the pictures. */
async function reminder({ shop, contests, language }: Stage, kind: ReminderKind): Promise<MailboxEmail> {
  const reader = await shop.db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('username', '=', `reads-${language}`)
    .executeTakeFirstOrThrow()
  const offers = shop.db.selectFrom('offers').select('id')
  const offer = await (
    kind === 'result'
      ? offers.where('state', 'in', ['drawn', 'awarded'])
      : offers.where('slug', '=', contests.plain)
  ).executeTakeFirst()
  if (!offer) throw new Error('the demonstration has drawn no contest')
  const ref = `${reader.id}.${offer.id}.${kind}.0`
  await enqueueEmail(shop.db, {
    key: `reminder:${ref}`,
    kind: 'reminder',
    to: reader.email,
    userId: reader.id,
    language,
    subject: kind,
    bodyRef: { kind: 'reminder', ref },
    secretLink: { kind: 'unsubscribe', ref },
  })
  const emails = await shop.call<Mailbox>('GET', '/api/demo/emails/')
  const one = emails.find((entry) => entry.subject === kind && entry.language === language)
  if (!one) throw new Error(`no reminder "${kind}"; there are: ${kindsOf(emails)}`)
  return shop.call<MailboxEmail>('GET', `/api/demo/emails/${one.id}/`)
}

/** The page that the link of a reminder opens. */
async function unsubscribing(stage: Stage): Promise<void> {
  const { text } = await reminder(stage, 'closing')
  await stage.page.goto(/\S+\/unsubscribe\?\S+/.exec(text)?.[0] ?? '')
  await awake(stage.page)
}

const unsubscribed = async (stage: Stage): Promise<void> => {
  await unsubscribing(stage)
  await press(stage.page, stage.t('unsubscribe.action'))
}

const receipt = mail('receipt', 'receipt')

export const MAIL_STATES: readonly State[] = [
  mail('welcome', 'welcome'),
  receipt,
  {
    ...receipt,
    name: 'mail/receipt-printed',
    widths: [768],
    open: async (stage: Stage) => {
      await receipt.open(stage)
      await printed(stage.page)
    },
  },
  ...REMINDER_KINDS.map((kind) => ({
    name: `mail/reminder-${kind}`,
    withoutScripts: true as const,
    open: async (stage: Stage) => void (await stage.page.goto((await reminder(stage, kind)).html_url)),
  })),
  state('unsubscribe/idle', unsubscribing),
  state('unsubscribe/done', async (stage) => {
    await unsubscribed(stage)
    await see(stage.page, stage.t('unsubscribe.doneTitle'))
  }),
  state('unsubscribe/no-server', async (stage) => {
    await cut(stage.page, '**/api/reminders/unsubscribe')
    await unsubscribed(stage)
    await see(stage.page, stage.t('errors.network'))
  }),
  state('unsubscribe/invalid', async ({ page }) => {
    await page.goto('/unsubscribe?token=not-a-token')
    await awake(page)
  }),
]

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
  const caller = { ...buyer, language }
  const body = { country_code: 'BE' }
  const url = '/api/paypal/create-order/'
  return (await shop.call<{ payment_url: string }>('POST', url, caller, body)).payment_url
}
