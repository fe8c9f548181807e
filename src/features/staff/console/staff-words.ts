import { useTranslations } from '#i18n/translations.tsx'
import { AUDIT_SUBJECTS, type AuditSubject, keyOfCode, isAuditAction } from '#shared/audit-actions.ts'
import type { StaffPermission } from '#shared/staff-permissions.ts'

/** The words for a permission. */
export function usePermissionWords(): (permission: StaffPermission) => string {
  const t = useTranslations('consoleStaff')
  return (permission) => t(`permissions.${keyOfCode(permission)}`)
}

/** The words for the actions and subjects of the audit log; of a code that no entry has, the code. */
export function useAuditWords(): { actionOf: (code: string) => string; subjectOf: (code: string) => string } {
  const t = useTranslations('consoleStaff')
  return {
    actionOf: (code) => (isAuditAction(code) ? t(`actions.${keyOfCode(code)}`) : code),
    subjectOf: (code) => (isSubject(code) ? t(`subjects.${code}`) : code),
  }
}

const isSubject = (code: string): code is AuditSubject => AUDIT_SUBJECTS.some((one) => one === code)
