import type { PersonalDataSource } from '#platform/personal-data.ts'
import { eraseOldObjections } from './objections.repository.ts'

/** What somebody objected to an entry, and the answer. It is kept as long as claims, since both may be argued about. */
export const objectionsPersonalData = {
  name: 'objections',
  columns: ['objections.answer', 'objections.text'],
  retain: { objections: (db, { keepClaimDays }, limit) => eraseOldObjections(db, keepClaimDays, limit) },
} satisfies PersonalDataSource
