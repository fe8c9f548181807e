import { webhookFault } from '#features/alerts/server/index.ts'
import { checkMailServer } from '#features/emails/server/index.ts'
import { ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { type PayPalClient, PayPalRefused } from '#platform/payment/paypal/paypal-client.ts'
import type { Database } from '#platform/database.ts'
import type { Config } from '../config.ts'
import { type Check, fault, ok, reasonOf, skipped, warning } from './findings.ts'

/** Connects, asks for TLS where that is required, and logs in; sends nothing. */
export const mailServerCheck =
  ({ smtpUrl, demo }: Pick<Config, 'smtpUrl' | 'demo'>): Check =>
  async () => {
    if (smtpUrl === undefined) return skipped('none')
    const { host } = new URL(smtpUrl)
    const refusal = await checkMailServer(smtpUrl, !demo)
    return refusal ? fault(refusal.kind, { host, reason: refusal.reason }) : ok('takes', { host })
  }

export const providerCheck =
  (client: PayPalClient, { paypalBaseUrl }: Pick<Config, 'paypalBaseUrl'>): Check =>
  async () => {
    const { host } = new URL(paypalBaseUrl)
    try {
      await client.logIn()
      return ok('knows', { host })
    } catch (error) {
      return toFault(error, host)
    }
  }

/** What the shop learns of by a notification only (README, "Going live"). Not each app of PayPal's offers both names of one. */
const EVENTS = [
  'CHECKOUT.ORDER.APPROVED',
  'PAYMENT.CAPTURE.COMPLETED',
  'PAYMENT.CAPTURE.PENDING',
  ['PAYMENT.CAPTURE.DECLINED', 'PAYMENT.CAPTURE.DENIED'],
  'PAYMENT.CAPTURE.REFUNDED',
  'PAYMENT.CAPTURE.REVERSED',
  'CUSTOMER.DISPUTE.CREATED',
  'CUSTOMER.DISPUTE.UPDATED',
  'CUSTOMER.DISPUTE.RESOLVED',
]

/** Whether PayPal sends to this shop what it has to know. */
export const webhookCheck =
  (
    client: PayPalClient,
    {
      paypalWebhookId: id,
      paypalBaseUrl,
      publicUrl,
    }: Pick<Config, 'paypalWebhookId' | 'paypalBaseUrl' | 'publicUrl'>,
  ): Check =>
  async () => {
    try {
      const { url, event_types: types } = await client.getWebhook(id)
      const wanted = `${publicUrl}/api/paypal/webhook`
      // An emulator beside the shop sends to it directly.
      const isDirect = !isPayPal(paypalBaseUrl) && new URL(url).pathname.startsWith(new URL(wanted).pathname)
      if (url.replace(/\/$/, '') !== wanted && !isDirect)
        return fault('elsewhere', { id, url, wanted: `${wanted}/` })
      const names = new Set(types.map(({ name }) => name))
      const missing = names.has('*')
        ? []
        : EVENTS.flatMap((event) => {
            const either = [event].flat()
            return either.some((name) => names.has(name)) ? [] : [either.join(' / ')]
          })
      return missing.length > 0
        ? fault('events', { id, missing: missing.join(', ') })
        : ok('sends', { id, url })
    } catch (error) {
      // An id of another form is refused as such.
      if (error instanceof PayPalRefused && (error.status === 404 || error.status === 400))
        return fault('unknown', { id })
      return toFault(error, new URL(paypalBaseUrl).host)
    }
  }

/** Whether somebody is told of an alert, also when the mail server is what is away. */
export const alertsCheck =
  (
    db: Database,
    { demo, alertEmail, alertWebhookUrl }: Pick<Config, 'demo' | 'alertEmail' | 'alertWebhookUrl'>,
  ): Check =>
  async () => {
    if (alertWebhookUrl === undefined) {
      if (demo) return skipped('demo')
      return alertEmail === undefined ? fault('nobody') : warning('emailOnly')
    }
    const error = await webhookFault(db)
    if (error !== null) return fault('failing', { error })
    return alertEmail === undefined ? warning('webhookOnly') : ok('both')
  }

const isPayPal = (url: string): boolean => /(^|\.)paypal\.com$/.test(new URL(url).hostname)

function toFault(error: unknown, host: string) {
  if (error instanceof PayPalRefused) return fault('refused', { host, status: error.status })
  const cause = error instanceof ProviderUnknown && error.cause ? error.cause : error
  return fault('silent', { host, reason: reasonOf(cause) })
}
