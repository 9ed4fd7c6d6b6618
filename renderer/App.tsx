// Chooses the screen: by the page's connection, then by its URL.
import { useEffect, type ReactNode } from 'react';
import { Redirect, Route, Router, Switch, useLocation, useSearch } from 'wouter';
import { places } from './places.ts';
import { Unreachable } from './api/unreachable.ts';
import { chunk, fetchChunks } from './shared/chunk.tsx';
import { Loading } from './shared/ui/Screen.tsx';
import { ErrorNote } from './shared/ui/ErrorNote.tsx';
import { Trouble } from './shared/ui/Trouble.tsx';
import { screenAt } from './shared/screen-at.ts';
import { useHashLocation } from './shared/hooks/use-hash-location.ts';
import { askBeforeLeaving } from './shared/unsaved.tsx';
import { Shell } from './shell/Shell.tsx';
import { atLinkPage } from './shared/at-link-page.ts';
import { useConnection } from './stores/connection.ts';
import { refresh, useTreasury } from './stores/treasury.ts';
import { Ahead } from './screens/overview/Overview.tsx';
// Not fetched apart: it is shown once the treasury that would send it is gone.
import SignIn from './screens/first-run/SignIn.tsx';

// It takes credentials out of the page's address.
const LinkPage = chunk(() => import('./screens/link/LinkPage.tsx'), { isActive: true });
const Welcome = chunk(() => import('./screens/first-run/Welcome.tsx'));
const SetUp = chunk(() => import('./screens/first-run/SetUp.tsx'));
const AgentDetail = chunk(() => import('./screens/agents/AgentDetail.tsx'));
const GroupPage = chunk(() => import('./screens/agents/groups/GroupPage.tsx'));
const ServicePage = chunk(() => import('./screens/catalog/ServicePage.tsx'));
const PictureDetail = chunk(() => import('./screens/gallery/PictureDetail.tsx'));
const PaymentDetail = chunk(() => import('./screens/activity/PaymentDetail.tsx'));
const GetMoney = chunk(() => import('./screens/treasury/GetMoney.tsx'));
const AllowancePage = chunk(() => import('./screens/treasury/allowance/AllowancePage.tsx'));
const FreezeCode = chunk(() => import('./screens/settings/phones/FreezeCode.tsx'));
const NotFound = chunk(() => import('./screens/NotFound.tsx'));

export const App = () => (atLinkPage ? <Alone screen={<LinkPage />} /> : <Dashboard />);

const Dashboard = () => {
  const phase = useConnection((state) => state.phase);
  const { snapshot, error } = useTreasury();
  useIdleFetching(snapshot !== null);
  if (phase === 'signed-out') return <Alone screen={<SignIn />} />;
  if (phase === 'waiting') return <Alone screen={<SetUp />} />;
  if (snapshot === null && phase === 'opening') return <Alone screen={<Loading />} />;
  const unread = phase === 'lost' ? (error ?? new Unreachable()) : error;
  return (
    <Router hook={useHashLocation} aroundNav={askBeforeLeaving}>
      <Shell>
        <Place>
          {snapshot === null ? (
            unread === null ? (
              <Switch>
                <Route path="/" component={Ahead} />
                <Route component={Loading} />
              </Switch>
            ) : (
              <Unread error={unread} />
            )
          ) : (
            <Switch>
              <Route path="/settings/freeze-code" component={FreezeCode} />
              {places.map(({ path, pattern = path, screen }) => (
                <Route key={path} path={pattern} component={screen} />
              ))}
              <Route path="/welcome" component={Welcome} />
              <Route path="/agents/group/:groupId">
                {({ groupId }) => <GroupPage groupId={decoded(groupId)} key={groupId} />}
              </Route>
              <Route path="/agents/:agentId/:tab?">
                {({ agentId, tab }) => <AgentDetail agentId={agentId} tab={tab} key={agentId} />}
              </Route>
              <Route path="/activity/month" component={ToBooks} />
              <Route path="/activity/:id">{({ id }) => <PaymentDetail id={id} key={id} />}</Route>
              <Route path="/catalog/service/:serviceId">
                {({ serviceId }) => <ServicePage serviceId={decoded(serviceId)} key={serviceId} />}
              </Route>
              <Route path="/gallery/:agentId/:taskId">
                {(task) => <PictureDetail {...task} key={task.taskId} />}
              </Route>
              <Route path="/treasury/get" component={GetMoney} />
              <Route path="/treasury/allowance/:act?">
                {({ act }) => <AllowancePage act={act} key={act} />}
              </Route>
              <Route component={NotFound} />
            </Switch>
          )}
        </Place>
      </Shell>
    </Router>
  );
};

/** The router leaves the marks of a URL as they are in a path, and a service may be named by its origin. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** The months were a part of the activity once. */
const ToBooks = () => {
  const month = new URLSearchParams(useSearch()).get('month');
  return <Redirect to={month === null ? '/books' : `/books/${encodeURIComponent(month)}`} replace />;
};

/** The first screen comes first on a slow network. */
const idleAfterMs = 1_500;

/** Fetches the other screens once the first is shown and the page is idle, so that they open at once, also offline. */
const useIdleFetching = (isShown: boolean): void => {
  useEffect(() => {
    if (!isShown) return;
    const timer = setTimeout(() => requestIdleCallback(() => void fetchChunks()), idleAfterMs);
    return () => clearTimeout(timer);
  }, [isShown]);
};

/** The screen at the current URL, or its loading or error state. */
const Place = ({ children }: { children: ReactNode }) => {
  const [location] = useLocation();
  // Where only the tab changes, the screen stays, and so does the focus.
  return <Trouble key={screenAt(location)}>{children}</Trouble>;
};

const Alone = ({ screen }: { screen: ReactNode }) => (
  <main>
    <Trouble>{screen}</Trouble>
  </main>
);

const Unread = ({ error }: { error: Error }) => <ErrorNote error={error} onRetry={() => void refresh()} />;
