import type { Mailbox, MailboxMail } from '#features/mails/mails.contract.ts'
import { printed, type Stage, type State } from '../state.ts'

/** A kind of mail in the language of the pictures, as a mail program shows its HTML. */
const mail = (name: string, kind: string, more: Partial<State> = {}): State => ({
  name: `mail/${name}`,
  withoutScripts: true,
  open: async ({ page, shop, language }) => {
    const mails = await shop.call<Mailbox>('GET', '/api/demo/mails/')
    const one = mails.find((entry) => entry.kind === kind && entry.language === language)
    if (!one) throw new Error(`no mail "${kind}" in ${language}; there are: ${kindsOf(mails)}`)
    const { html_url: url } = await shop.call<MailboxMail>('GET', `/api/demo/mails/${one.id}/`)
    await page.goto(url)
  },
  ...more,
})

const kindsOf = (mails: Mailbox): string =>
  mails.map(({ kind, language }) => `${kind} (${language})`).join(', ')

const receipt = mail('receipt', 'receipt')

/** What the shop writes to people. */
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
]
