import { useTranslations } from '#i18n/translations.tsx'
import { AUDIT_ACTIONS, AUDIT_SUBJECTS, type AuditAction, type AuditSubject } from '#shared/audit-actions.ts'
import type { StaffPermission } from '#shared/staff-permissions.ts'

/** The part of a message's key for a code: "orders_refund". */
type KeyOf<Code extends string> = Code extends `${infer Slice}.${infer Name}` ? `${Slice}_${Name}` : Code
const keyOf = <Code extends string>(code: Code): KeyOf<Code> => code.replace('.', '_') as KeyOf<Code>

/** The words for a permission. */
export function usePermissionWords(): (permission: StaffPermission) => string {
  const t = useTranslations('consoleStaff.permissions')
  return (permission) => t(keyOf(permission))
}

/** The words for the actions and subjects of the audit log; of a code that no entry has, the code. */
export function useAuditWords(): { actionOf: (code: string) => string; subjectOf: (code: string) => string } {
  const t = useTranslations('consoleStaff')
  return {
    actionOf: (code) => (isIn(AUDIT_ACTIONS, code) ? t(`actions.${keyOf<AuditAction>(code)}`) : code),
    subjectOf: (code) => (isIn(AUDIT_SUBJECTS, code) ? t(`subjects.${code satisfies AuditSubject}`) : code),
  }
}

const isIn = <const Code extends string>(codes: readonly Code[], code: string): code is Code =>
  codes.some((one) => one === code)
