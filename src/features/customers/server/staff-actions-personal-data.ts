import { type AuditAction, keyOfCode } from '#shared/audit-actions.ts'
import { translate } from '#i18n/server-translator.ts'
import { type PersonalDataSource, isoOrNull, wordsOr } from '#platform/personal-data.ts'
import { staffActionsRepository } from './staff-actions.repository.ts'

/** What staff read or did that concerns a customer, without the names of staff. The audit log is never erased. */
export const staffActionsPersonalData = {
  name: 'staff_actions',
  columns: [],
  async export(trx, { userId }, { say, when, language }) {
    const actions = (await staffActionsRepository(trx).of(userId))
      .toReversed()
      .map(({ at, action }) => ({ at: isoOrNull(at), action }))
    // As the audit log of the console says it.
    const said = (code: string): string =>
      wordsOr(code, () => translate(language, `console.codes.actions.${keyOfCode(code as AuditAction)}`))
    return [
      {
        name: 'staff_actions',
        data: actions,
        title: say('staff.title'),
        blocks: [
          {
            heads: [say('at'), say('staff.action')],
            rows: actions.map((one) => [when(one.at), said(one.action)]),
          },
        ],
      },
    ]
  },
} satisfies PersonalDataSource
