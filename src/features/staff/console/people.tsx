import { type ReactNode, useState } from 'react'
import { Link, useLoaderData } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import {
  STAFF_PERMISSIONS,
  STAFF_ROLES,
  type StaffPermission,
  type StaffRole,
  permits,
} from '#shared/staff-permissions.ts'
import { Badge } from '#ui/badge.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { DataTable, type Page, useRows, wholeList } from '#console-kit/data-table.tsx'
import { ReasonField, SelectField, TextField } from '#console-kit/fields.tsx'
import { ConfirmDialog, ReasonDialog, Screen, Section, Time } from '#console-kit/parts.tsx'
import { rowLink } from '#console-kit/row-keys.ts'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import { useFields } from '#console-kit/use-fields.ts'
import type { Person } from '../staff.contract.ts'
import { usePermissionWords } from './staff-words.ts'

const PEOPLE = '/api/staff/people/'

export const loader = async (): Promise<Page<Person>> => wholeList(await consoleCall<Person[]>('GET', PEOPLE))

const ACTIONS = ['removeRole', 'removeFactors', 'endSessions'] as const
type Action = (typeof ACTIONS)[number]
const CALLS: Record<Action, string> = {
  removeRole: 'remove-role',
  removeFactors: 'remove-second-factors',
  endSessions: 'end-sessions',
}

/** Who works here, with which role, and what each role may do. */
export function Component(): ReactNode {
  const t = useTranslations('console')
  const { rows: people, news, isGone } = useRows(useLoaderData<Page<Person>>(), ({ id }) => id)
  const may = useMay()
  const mayChange = may('staff.change')
  const [isGiving, setGiving] = useState(false)
  const [opened, setOpened] = useState<Person>()
  useScreenActions(mayChange ? [{ name: 'giveRole', run: () => setGiving(true) }] : [])
  const [chosen, setChosen] = useState<{ person: Person; action: Action }>()
  return (
    <Screen
      title={t('people.title')}
      actions={
        <>
          {may('exclusions.read') && (
            <Link to="/staff/exclusions" className={buttonClasses('secondary')}>
              {t('people.exclusions')}
            </Link>
          )}
          {mayChange && <Button onClick={() => setGiving(true)}>{t('people.give')}</Button>}
        </>
      }
    >
      {news}
      <DataTable
        caption={t('people.title')}
        rows={people}
        isGone={isGone}
        idOf={({ id }) => id}
        empty={t('common.none')}
        columns={[
          {
            id: 'name',
            title: t('people.name'),
            isCode: true,
            cell: (person) => (
              <span id={`person-${person.id}`} className="grid">
                <span className="font-semibold">{person.name}</span>
                <span className="text-muted">{person.email}</span>
              </span>
            ),
          },
          {
            id: 'role',
            title: t('people.role'),
            cell: ({ role, is_active }) => (
              <span className="flex flex-wrap gap-2">
                <Badge>{t(`roles.${role}`)}</Badge>
                {!is_active && <Badge tone="error">{t('people.suspended')}</Badge>}
              </span>
            ),
          },
          {
            id: 'factor',
            title: t('people.secondFactor'),
            cell: ({ methods }) =>
              methods.length === 0
                ? t('people.none')
                : methods.map((method) => t(`people.${method}`)).join(', '),
          },
          {
            id: 'seen',
            title: t('people.lastSeen'),
            cell: ({ last_seen_at: at }) => (at === null ? t('common.never') : <Time at={at} />),
          },
          ...(mayChange
            ? [
                {
                  id: 'deeds',
                  title: t('people.deeds'),
                  cell: (person: Person) => (
                    <Button
                      {...rowLink}
                      size="small"
                      variant="secondary"
                      aria-label={t('people.actions', { name: person.name })}
                      onClick={() => setOpened(person)}
                    >
                      {t('people.deeds')}
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
      />
      <RoleTable />
      <GiveRole open={isGiving} onClose={() => setGiving(false)} />
      <Dialog
        open={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={t('people.actions', { name: opened?.name ?? '' })}
        closeText={t('common.close')}
      >
        <div className="grid gap-3">
          {ACTIONS.map((action) => (
            <Button
              key={action}
              wide
              variant="secondary"
              onClick={() => {
                if (opened) setChosen({ person: opened, action })
                setOpened(undefined)
              }}
            >
              {t(`people.${action}`)}
            </Button>
          ))}
        </div>
      </Dialog>
      {chosen && (
        <ReasonDialog
          isDanger
          onClose={() => setChosen(undefined)}
          title={t(`people.${chosen.action}`)}
          text={t(`people.${chosen.action}Text`, { name: chosen.person.name })}
          confirm={t(`people.${chosen.action}`)}
          act={(reason) =>
            consoleCall('POST', `${PEOPLE}${chosen.person.id}/${CALLS[chosen.action]}/`, { body: { reason } })
          }
        />
      )}
    </Screen>
  )
}

function GiveRole({ open, onClose }: { open: boolean; onClose: () => void }): ReactNode {
  const t = useTranslations('console')
  const form = useFields({ email: '', role: 'support' as StaffRole, reason: '' })
  const close = (): void => {
    form.reset()
    onClose()
  }
  return (
    <ConfirmDialog
      open={open}
      title={t('people.give')}
      confirm={t('people.ask')}
      isChecked
      action={form}
      act={() => consoleCall('POST', PEOPLE, { body: form.values })}
      done={t('people.asked')}
      onClose={close}
    >
      <p>{t('people.giveText')}</p>
      <TextField label={t('people.email')} type="email" required {...form.field('email')} />
      <SelectField
        label={t('people.role')}
        choices={STAFF_ROLES.map((one) => [one, t(`roles.${one}`)])}
        {...form.field('role')}
      />
      <ReasonField {...form.field('reason')} />
    </ConfirmDialog>
  )
}

const PERMISSIONS = Object.keys(STAFF_PERMISSIONS) as StaffPermission[]

/** The table of permissions, from the very same data that the routes read. */
function RoleTable(): ReactNode {
  const t = useTranslations('console')
  const wordsFor = usePermissionWords()
  return (
    <Section title={t('people.permissions')}>
      <div
        className="relative overflow-x-auto"
        // A region that scrolls must take the focus.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={t('people.permissions')}
      >
        <table className="w-full text-left text-sm">
          <thead>
            <tr className="border-b border-line">
              <th scope="col" className="py-2 pr-4 font-semibold">
                {t('people.permission')}
              </th>
              {STAFF_ROLES.map((role) => (
                <th key={role} scope="col" className="px-3 py-2 font-semibold">
                  {t(`roles.${role}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {PERMISSIONS.map((permission) => (
              <tr key={permission} className="border-b border-line last:border-0">
                <th scope="row" className="py-2 pr-4 font-normal">
                  {wordsFor(permission)}
                </th>
                {STAFF_ROLES.map((role) => (
                  <td key={role} className="px-3 py-2">
                    <span aria-hidden="true">{permits(role, permission) ? '●' : '–'}</span>
                    <span className="sr-only">
                      {permits(role, permission) ? t('people.may') : t('people.mayNot')}
                    </span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  )
}
