import type { PersonalDataSource } from '#platform/personal-data.ts'
import { alertsRepository } from './alerts.repository.ts'

const NOTE_DAYS = 90

/** Notes of staff at alerts may tell of customers. Who erases orders has those about them erased (`eraseAlertNotes`). */
export const alertsPersonalData = {
  name: 'alert_notes',
  columns: ['alerts.note'],
  // One statement erases all: with more than the limit it only runs once more.
  retain: { alertNotes: (db) => alertsRepository(db).eraseOldNotes(NOTE_DAYS) },
} satisfies PersonalDataSource
