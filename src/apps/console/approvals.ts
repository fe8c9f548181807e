import catalogues from 'virtual:console-catalogues'
import { approvalKinds as draws } from '#features/draws/console/approval-kinds.tsx'
import { approvalKinds as objections } from '#features/objections/console/approval-kinds.tsx'
import { approvalKinds as offers } from '#features/offers/console/approval-kinds.tsx'
import { approvalKinds as postal } from '#features/postal/console/approval-kinds.tsx'
import { approvalKinds as refunds } from '#features/purchase/refunds/console/approval-kinds.tsx'
import { approvalKinds as staff } from '#features/staff/console/approval-kinds.tsx'
import { loadMessages } from '#i18n/active-messages.ts'
import type { ApprovalPermission } from '#shared/staff-permissions.ts'
import type { ApprovalView, LoadApprovalViews } from '#console-kit/approval-kinds.ts'
import { consoleLanguage } from '#console-kit/console-call.ts'

const DECLARED = [draws, objections, offers, postal, refunds, staff]

/** Every kind of action that two people decide; one that no slice shows does not compile. */
const VIEWS: Record<ApprovalPermission, ApprovalView> = {
  ...draws.views,
  ...objections.views,
  ...offers.views,
  ...postal.views,
  ...refunds.views,
  ...staff.views,
}

let areTextsLoaded = false

/** The views, once their texts are there. */
export const loadViews: LoadApprovalViews = async () => {
  if (!areTextsLoaded) {
    const names = new Set(DECLARED.flatMap((kinds) => kinds.catalogues))
    await Promise.all([...names].map((name) => loadMessages(consoleLanguage(), catalogues[name])))
    areTextsLoaded = true
  }
  return VIEWS
}
