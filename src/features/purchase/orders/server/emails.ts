import type { SliceMakers } from '#features/emails/server/index.ts'
import type { Database } from '#platform/database.ts'
import { awaitsLog } from './orders.repository.ts'
import { type ReceiptEmailShop, loadAndRenderReceipt, receiptEmails } from './receipt-email.ts'
import { refundEmails } from './refund-email.ts'
import { type UnfinishedEmailShop, isStillUnfinished, writeUnfinishedEmail } from './unfinished-email.ts'

/** The emails about an order. */
export const orderEmails = (shop: ReceiptEmailShop) => ({
  ...receiptEmails(shop),
  ...refundEmails(shop, shop.provider),
})

export const ordersEmailMakers = ({
  db,
  shop,
}: {
  db: Database
  shop: ReceiptEmailShop & UnfinishedEmailShop
}): SliceMakers => ({
  bodies: {
    receipt: (orderId) => loadAndRenderReceipt(db, receiptEmails(shop), orderId),
    'unfinished-payment': writeUnfinishedEmail(db, shop),
  },
  waits: { receipt: (orderId) => awaitsLog(db, orderId) },
  isNeeded: { 'unfinished-payment': (orderId) => isStillUnfinished(db, orderId) },
})
