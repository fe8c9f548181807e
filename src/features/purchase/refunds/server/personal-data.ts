import type { PersonalDataSource } from '#platform/personal-data.ts'
import { eraseRefundWordsOf } from './ledger.repository.ts'

/** What staff wrote to a buyer with a refund. An export shows it with the order, and the order's age erases it. */
export const refundsPersonalData = {
  name: 'refund_notes',
  columns: ['refunds.note'],
  async erase(trx, { userId }) {
    await eraseRefundWordsOf(trx, userId)
    return { rows: 0 }
  },
} satisfies PersonalDataSource
