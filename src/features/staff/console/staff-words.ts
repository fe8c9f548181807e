import { useTranslations } from '#i18n/translations.tsx'
import { codeOfKey, keyOfCode } from '#shared/audit-actions.ts'
import type { StaffPermission } from '#shared/staff-permissions.ts'

/** The words for a permission. */
export function usePermissionWords(): (permission: StaffPermission) => string {
  const t = useTranslations('console.codes.permissions')
  return (permission) => t(keyOfCode(permission))
}

/** The words for the actions and subjects of the audit log; of a code that no entry has, the code. */
export function useAuditWords() {
  const t = useTranslations('console.codes')
  const wordOf = (key: string, code: string): string => {
    const known = key as 'subjects.order'
    return t.has(known) ? t(known) : code
  }
  const keysOf = (kind: 'actions' | 'subjects'): string[] =>
    Object.keys(t.raw(kind as 'subjects.order') as object)
  return {
    actionOf: (code: string) => wordOf(`actions.${keyOfCode(code)}`, code),
    subjectOf: (code: string) => wordOf(`subjects.${code}`, code),
    /** Every code that an entry may have. */
    actions: (): string[] => keysOf('actions').map(codeOfKey),
    subjects: (): string[] => keysOf('subjects'),
  }
}
