# Which warps do what, and with how many registers: txl.specialize (dialects.md 7).
#
# From the evaluator: the body of `with role:` stands under the branch that `__branch__` gives, between what
# `__prologue__` and `__epilogue__` emit; branches of different roles that follow each other become one chain.
import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral

_LEAST, _MOST, _STEP = 24, 256, 8  # what setmaxnreg takes


def _check_registers(session, what, regs):
    if regs is None:
        return
    if regs % _STEP or not _LEAST <= regs <= _MOST:
        raise ValueError(f"{what} asks for regs={regs}: setmaxnreg takes {_LEAST} to {_MOST} in steps of {_STEP}")
    if session.min_blocks_per_sm is None:
        raise ValueError(
            f"{what} asks for regs={regs}, and nothing says how many registers a thread begins with;"
            " give min_blocks_per_sm= to txl.kernel"
        )


def _warp_list(what, warps):
    warps = [warps] if isinstance(warps, Integral) else sorted(set(warps))
    if not warps:
        raise ValueError(f"{what} has no warps")
    return warps


def _contiguous(warps):
    return warps == list(range(warps[0], warps[-1] + 1))


def _overlap(warps, others):
    return sorted(set(warps) & set(others))


def _change_registers(session, regs):
    direction = "inc" if regs > session.entry_regs else "dec"
    txl.ptx[f"setmaxnreg.{direction}.sync.aligned.u32"](regs)


class RegisterScope:
    """Warpgroups that change their registers where the kernel calls emit()."""

    def __init__(self, owner, name, warps, regs):
        self.owner = owner
        self.name = name
        self.warps = warps
        self.regs = regs
        self.emissions = 0

    def emit(self):
        self.emissions += 1
        _change_registers(self.owner.session, self.regs)


class WarpGroup:
    """Four warps that change their registers together, and hold narrower roles."""

    def __init__(self, owner, name, warps, regs):
        self.owner = owner
        self.name = name
        self.warps = warps
        self.regs = regs
        self.first_warp = warps[0]
        self.n_warps = len(warps)

    def __branch__(self):
        if self.owner.active is not None or self.owner.active_group is not None:
            raise RuntimeError(f"warpgroup {self.name!r} stands in another role; roles do not nest")
        warp = self.owner.session.warp_id
        return T.And(self.first_warp <= warp, warp <= self.warps[-1])

    def __prologue__(self):
        if self.regs is not None:
            _change_registers(self.owner.session, self.regs)
        self.owner.active_group = self

    def __epilogue__(self):
        self.owner.active_group = None


class Role:
    """Warps that run the body of `with role:`."""

    def __init__(self, owner, name, warps, regs, when, group, register_scope):
        self.owner = owner
        self.name = name
        self.warps = warps
        self.regs = regs
        self.when = when
        self.group = group
        self.register_scope = register_scope
        self.first_warp = warps[0]
        self.n_warps = len(warps)

    def _check_place(self):
        if self.owner.active is not None:
            raise RuntimeError(f"role {self.name!r} stands in role {self.owner.active.name!r}; roles do not nest")
        if self.group is not None and self.owner.active_group is not self.group:
            raise RuntimeError(f"role {self.name!r} belongs into `with {self.group.name}:`, its warpgroup")
        if self.group is None and self.owner.active_group is not None:
            raise RuntimeError(f"role {self.name!r} is no part of warpgroup {self.owner.active_group.name!r} around it")

    def _condition(self, warp, low, high):
        return warp == low if low == high else T.And(low <= warp, warp <= high)

    def __branch__(self):
        self._check_place()
        warp, base = self.owner.session.warp_id, 0
        if self.group is not None:
            base = self.group.first_warp
            condition = self._condition(warp % self.group.n_warps, self.first_warp - base, self.warps[-1] - base)
        else:
            condition = self._condition(warp, self.first_warp, self.warps[-1])
        return condition if self.when is None else T.And(condition, self.when)

    def __prologue__(self):
        if self.regs is not None and self.register_scope is None:
            _change_registers(self.owner.session, self.regs)
        self.owner.active = self

    def __epilogue__(self):
        self.owner.active = None


class Specialize:
    """The roles of a kernel: each warp belongs to one."""

    def __init__(self, session, chain_dispatch):
        self.session = session
        self.chaining = chain_dispatch
        self.roles = []
        self.groups = []
        self.register_scopes = []
        self.active = None
        self.active_group = None

    def role(self, name, warps, regs=None, when=None, group=None, register_scope=None):
        what = f"role {name!r}"
        warps = _warp_list(what, warps)
        if register_scope is not None:
            regs = self._inherited(what, warps, regs, register_scope)
        else:
            _check_registers(self.session, what, regs)
        if not _contiguous(warps):
            raise ValueError(f"{what}: warps={warps} have gaps; a role is one range of warps")
        total = self.session.warps
        extra = [warp for warp in warps if not 0 <= warp < total]
        if extra:
            raise ValueError(f"{what} has warps {extra}, and the kernel has {total}: 0 to {total - 1}")
        if group is not None:
            if group not in self.groups:
                raise ValueError(f"{what}: its warpgroup is of another kernel")
            outside = sorted(set(warps) - set(group.warps))
            if outside:
                raise ValueError(f"{what}: warps {outside} are not in warpgroup {group.name!r}, {group.warps}")
        for other in self.roles:
            both = _overlap(warps, other.warps)
            if both:
                raise ValueError(f"{what} and role {other.name!r} both have warps {both}; each warp has one role")
        made = Role(self, name, warps, regs, when, group, register_scope)
        self.roles.append(made)
        return made

    def _inherited(self, what, warps, regs, scope):
        if regs is not None:
            raise ValueError(f"{what} has the registers of scope {scope.name!r}; drop regs=")
        if scope not in self.register_scopes:
            raise ValueError(f"{what}: its register scope is of another kernel")
        outside = sorted(set(warps) - set(scope.warps))
        if outside:
            raise ValueError(f"{what}: warps {outside} are not in register scope {scope.name!r}, {scope.warps}")
        return scope.regs

    def warpgroup(self, name, warps, regs=None):
        what = f"warpgroup {name!r}"
        warps = _warp_list(what, warps)
        if len(warps) != 4 or not _contiguous(warps) or warps[0] % 4:
            raise ValueError(f"{what}: warps={warps}; a warpgroup is four warps that begin at a multiple of 4")
        _check_registers(self.session, what, regs)
        for other in self.groups:
            both = _overlap(warps, other.warps)
            if both:
                raise ValueError(f"{what} and warpgroup {other.name!r} both have warps {both}")
        made = WarpGroup(self, name, warps, regs)
        self.groups.append(made)
        return made

    def register_scope(self, name, warps, regs):
        what = f"register scope {name!r}"
        warps = _warp_list(what, warps)
        if not _contiguous(warps) or warps[0] % 4 or len(warps) % 4:
            raise ValueError(f"{what}: warps={warps}; it is made of whole warpgroups")
        _check_registers(self.session, what, regs)
        if regs is None:
            raise ValueError(f"{what} needs regs=")
        made = RegisterScope(self, name, warps, regs)
        self.register_scopes.append(made)
        return made

    def _check(self):
        total = self.session.warps
        owned = [warp for role in self.roles for warp in role.warps]
        missing = sorted(set(range(total)) - set(owned))
        if missing:
            raise ValueError(f"warps {missing} have no role; the roles share out all {total} warps of the kernel")
        for scope in self.register_scopes:
            if scope.emissions != 1:
                raise ValueError(f"register scope {scope.name!r} is emitted {scope.emissions} times; once is right")
        self._check_pool([*self.groups, *self.roles])
        if self.register_scopes:
            self._check_pool(self.register_scopes)

    def _check_pool(self, scopes):
        total = self.session.warps
        targets = [self.session.entry_regs] * total
        owners = [None] * total
        asked = False
        for scope in scopes:
            if scope.regs is None:
                continue
            asked = True
            for warp in scope.warps:
                if not 0 <= warp < total:
                    raise ValueError(f"{scope.name!r} has warp {warp}, and the kernel has {total}")
                if owners[warp] is not None and targets[warp] != scope.regs:
                    raise ValueError(
                        f"warp {warp} is asked for {targets[warp]} registers by {owners[warp].name!r}"
                        f" and for {scope.regs} by {scope.name!r}"
                    )
                targets[warp] = scope.regs
                owners[warp] = scope
        if asked:
            self._check_sum(targets)
        for first in range(0, total, 4):
            group = targets[first : first + 4]
            if len(set(group)) > 1:
                raise ValueError(
                    f"warps {first} to {first + len(group) - 1} are one warpgroup and ask for {group} registers;"
                    " setmaxnreg takes one number for all of them"
                )

    def _check_sum(self, targets):
        blocks = self.session.min_blocks_per_sm
        pool = 65536 // (blocks * len(targets) * 32) // 8 * 8 * len(targets) * 32
        total = sum(targets) * 32
        if total > pool:
            raise ValueError(
                f"the roles ask for {total} registers, {targets} a warp times 32; a CTA has {pool}"
                f" with min_blocks_per_sm={blocks}"
            )


def specialize(chain_dispatch=True):
    """The roles of this kernel; once a kernel."""
    session = txl._session()
    if session.specialize is not None:
        raise RuntimeError("txl.specialize() was called before in this kernel")
    session.specialize = Specialize(session, chain_dispatch)
    return session.specialize


def _role():
    owner = txl._session().specialize
    if owner is None or owner.active is None:
        raise RuntimeError("this is an index in a role, and stands in no `with role:`")
    return owner.active


def warp_id_in_role():
    """The index of the warp among those of the role."""
    role = _role()
    warp = txl._session().warp_id
    if role.group is not None:
        return warp % role.group.n_warps - (role.first_warp - role.group.first_warp)
    return warp if role.first_warp == 0 else warp - role.first_warp


def tid_in_role():
    """The index of the thread among those of the role."""
    role = _role()
    session = txl._session()
    if role.group is not None:
        return warp_id_in_role() * 32 + session.lane_id
    return session.thread_id if role.first_warp == 0 else session.thread_id - role.first_warp * 32
