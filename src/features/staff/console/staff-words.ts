import { useTranslations } from '#i18n/translations.tsx'

/** The words for a permission, an action or a subject of the audit log; the code itself where there are none yet. */
export function useStaffWords(group: 'permissions' | 'actions' | 'subjects'): (code: string) => string {
  const t = useTranslations(`consoleStaff.${group}`)
  return (code) => {
    const name = code.replaceAll('.', '_') as never
    return t.has(name) ? t(name) : code
  }
}
