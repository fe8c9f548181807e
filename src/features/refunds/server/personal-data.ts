import type { PersonalDataSource } from '#platform/personal-data.ts'
import { eraseRefundWordsOf } from './ledger.repository.ts'

/** What staff wrote to a buyer with a refund. The export shows the notes with the order. */
export const refundsPersonalData: PersonalDataSource = {
  name: 'refund_notes',
  async erase(trx, userId) {
    await eraseRefundWordsOf(trx, userId)
    return { rows: 0, emailKeys: [] }
  },
}
