import { ChartColumn, House } from 'lucide-react'
import type { ScreenDeclaration } from '#console-kit/screen-declaration.ts'

export const screens = [
  {
    path: '/',
    name: 'today',
    place: 10,
    icon: House,
    permission: 'today.read',
    load: () => import('./today.tsx'),
    catalogues: ['console.today'],
    follows: 'list',
  },
  {
    path: '/reports',
    name: 'reports',
    place: 80,
    icon: ChartColumn,
    permission: 'reports.read',
    load: () => import('./sales.tsx'),
    catalogues: ['consoleReports'],
    follows: 'report',
    actions: { exportSales: 'reports.read' },
  },
  {
    path: '/reports/statements',
    name: 'statements',
    place: 81,
    permission: 'reports.read',
    load: () => import('./statements.tsx'),
    catalogues: ['consoleReports'],
    follows: 'list',
    actions: { importStatement: 'reports.import' },
  },
  {
    path: '/reports/statements/:id',
    permission: 'reports.read',
    load: () => import('./statement.tsx'),
    catalogues: ['consoleReports'],
    follows: 'report',
  },
] as const satisfies readonly ScreenDeclaration[]
