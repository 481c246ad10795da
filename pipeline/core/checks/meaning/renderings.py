"""M708, M711: lost clauses and swapped code, found by how English words are rendered.

Whenever one of these words stands in a sentence, one of its renderings stands in the Chinese, with
few exceptions. In M708, words in a row without any rendering look like a lost clause. In M711, all
atoms are there, so that no other check sees the swap; but the words around code say which is which:
"the argument ``x``" is 参数 ``x``. Each word that stands once in both languages pulls the code near
it in English to where its rendering stands. M711 reports two pieces of code that would both fit
clearly better in each other's place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import exp
from typing import NamedTuple

from pipeline.core.checks.masked import ENGLISH_END, WORD, SentencePair
from pipeline.core.checks.meaning.english import count_ordinary, is_kept
from pipeline.core.checks.meaning.words import sentences_of
from pipeline.core.checks.model import Problem, Subject
from pipeline.findings import Span

_ENDINGS = re.compile(
    r"(?<=\w{3})(?:ization|izing|ized|izes|ations|ation|ating|ated|ates|ate|ings|ing|edly|ed|es|s|ly)$"
)


@dataclass(frozen=True, slots=True)
class Rendering:
    """What stands for a word in Chinese, and how much it says if nothing of that is there."""

    chinese: tuple[str, ...]
    weight: int


@cache  # a text has few different words
def rendering_of(word: str) -> Rendering | None:
    """How an English word in lower case is rendered; None if that is not known.

    Nor is it of words such as "does" and "like": there are too many ways to render them.
    """
    if count_ordinary((word,)):
        return None
    return _RENDERINGS.get(_stem(word))


def _stem(word: str) -> str:
    stem = _ENDINGS.sub("", word)
    if stem == word and len(word) > 4:
        return word.removesuffix("e")
    return stem


def _read_table(table: str, weight: int) -> Iterator[tuple[str, Rendering]]:
    """The words of a table: ``stem:译文,另一种译文``, parted by white space."""
    for row in table.split():
        stem, _, chinese = row.partition(":")
        yield stem, Rendering(tuple(chinese.split(",")), weight)


# The weight is about the logarithm of how many translations there are to one that has none of the
# renderings: 100 and more, 50, 25, 12.
_SURE = """
accelerator:速器 alloc:分配 annot:注解,标注 applic:应用,用途 argument:参数,实参 asynchronou:异步
autodiff:动微 automatic:自动 automatical:自动 axe:轴,维度 axi:轴,维度 backend:后端
bandwidth:带宽 barrier:屏障 batch:批 body:体 buffer:缓冲 clos:包捕,接近,closed,内存,这个,闭
cluster:线程,集群,簇,聚类 code:代码 command:命令 compatibility:兼容 compatibl:兼容,相容
compil:编译 compiler:编译器 complex:复 configur:配置 controller:制器 convert:转换
coordin:协调,坐标 copi:复制,副本 cost:开销,代价,要牺 data:数据 debugg:调试 default:默认
deprec:弃用 derivativ:导数,求导 devic:设备 dispatch:派发 dtyp:类型,dtype dynamic:动态
entir:整个,整组,一整 environment:环境 equal:等于,相等,相同,同样,平 execution:执行
explicit:显式,明确 flo:浮点 function:函数 functionality:功能 gather:收集 global:全局
gradient:梯度 grid:网格 guarante:保证 hardwar:硬件 implement:实现 input:输入 internal:内部
interpret:解释,理解为,直接,解读 jacobian:雅可 lattic:提升,格 layer:层 layout:布局 librari:库
local:本地,局部 logical:逻辑 los:损失 machin:机器,主机 map:映射,shard,对应 matrix:矩阵
mechanism:机制 memory:内存 mesh:网格 modul:模块 multi:多 multiplic:乘法 nest:嵌套
network:网络 neural:经网络 offload:卸载 optim:优化 optimiz:优化 original:原来,最初,原
output:输出 parallelism:并行 parameter:参数 performanc:性能 physical:物理 pipelin:流水线
platform:平台 primal:原始,传播这 primitiv:原语 print:打印 process:进程,处理 product:向量,积
promotion:提升 read:读 recommend:建议,推荐 ref:引用 register:存器,注册 replica:副本
residual:存值 reus:重,复用,用到 runtim:运行时 scalar:标量 schedul:调度 semantic:语义
semaphor:信号量 sequenc:序列,定序,系列,先后次,依次 servic:服务 shap:形状 signatur:签名
spac:空间 spars:稀疏 stack:栈,堆叠,叠加 stateful:有状 static:静态 symbolic:符号
synchron:同步 thre:三 token:令牌 train:训练 transform:变换 transpos:转置 tupl:元组
tutorial:教程 two:两个,两 typical:通常,典型 upd:更新 valu:值 vector:向量 wrapper:封装,包装
"""
_ALMOST_SURE = """
abstract:抽象 abstraction:抽象 accept:接受 access:访问 accumul:累加,累积,阵乘加
accumulator:加器 add:添加,加,新增 affect:影响 ahead:超前,提前,预先,跳到,前面 algorithm:算法
alia:别名 alias:别名 aliv:存活 alternative:也可以,或者,另一种 analogou:类似 architectur:架构
arg:参数 aris:出现,因为,会遇,调用 array:数组 assum:假,这个,以为这 async:异步
asynchronous:异步 atomic:原子 attach:附加,连接,上的数 attribut:属性,内存 auto:自动
await:等待 backward:反向传,向后兼容,从后 basic:基本,基础 benchmark:基准
benefit:好处,受益,计算 block:块,阻塞 boolean:布尔 branch:分支 broadcast:广播 bug:错误,代码
cach:缓存 callback:回调 caller:调用方 chang:改,变化 checkpoint:检查点 choos:选择,选
collectiv:集合 coloc:同置 column:列 commit:提交,看作先 community:社区 comparison:比较,对比
completion:完成,补全 complic:复杂,麻烦 component:部分,分量,组件 compos:组合,组成
composition:组合,好对得 comput:计算 computational:计算 concaten:拼接 concept:概念
concret:具体 concurrent:并发,同时 conditional:条件 connection:连接 consist:组成,构成的
constraint:约束,限制 construct:构造,构 container:容器 contribut:贡献 controll:控制
convenienc:便 convolution:卷积 correct:正确,直接 cotangent:余切 crash:崩溃 current:目前,当前
debugger:试器 decision:决定,决策,判断 decompos:分解 decorator:饰器 deep:深度,深,式的工
definition:定义 delay:推迟,延迟 denot:表示,的一,的参数除 dens:稠密 dependenc:依赖
dependenci:依赖 dependency:依赖 desir:所需的,想要,展性是指 determin:决定,确定,入轴的大
developer:开发 differenti:微分,求导 differentiabl:可微,微分 difficult:难 dimensional:维
directory:目录 distribution:分布 divid:除,划分 domain:领域,域 duck:鸭子
due:由于,因为,可能,所以 eager:立即,如果 easi:容易,提供,轻松,用户 edit:修改,编辑
effect:作用,效果,影响 effective:际上,有效 efficient:高效,效率 element:元素 elementwis:逐元素
ensur:确保,保证 equ:方程 error:错误,报错,出错 especial:尤其,特别 etc:等 exception:异常,例外
execut:执行 experimental:实验 explain:解释,所述,说明,讲解,但要讲 export:导出
expos:公开,提供,暴露,编写 expres:表达,表示 expression:表达式 extensibility:扩展
extension:扩展 fast:快速,快 fetch:取 fil:文件 file:文件,提交 final:最
fix:修复,固定,解决,不动点,修 flag:标志 flat:扁平 flatten:展平 flexibility:灵活 flexibl:灵活
float:浮点 flow:控制流,流 four:四个,四 fus:融合 futur:将来,未来,future,以后 goal:目标,的目的
graph:图 half:一半,半 hash:哈希 helper:辅助 hermetic:封闭 hessian:黑塞 hierarchy:层次
holomorphic:全纯 hood:底层 identical:相同,完全 ignor:忽略 imag:图像,镜像 imagin:设想
independent:独立,无关,单独 index:索引 initializ:初始化 inspect:查看,检查 instanc:实例,例如
integer:整数 interpreter:释器 invok:调用 kernel:内核 known:已知,称为,知,叫 languag:语言
larg:大 larger:大 latency:延迟 leaf:叶节点 library:库 like:可能,易出现 limit:限,memory
linear:线性 live:存活,位于,内存 load:加载 loader:据加载器 log:日志,记录,合概率函 loop:循环
low:底层,低,因此 machinery:机制 manager:管理器 mapp:映射 mathematical:数学 matmul:矩阵乘法
matric:矩阵 mean:也就是,意味,含义,思是,没有 messag:消息,信息 metadata:元数 method:方法
migr:迁移 mode:模式 modify:修改 multip:矩阵,乘 multipl:多个,多,的倍 mut:修改 mutabl:可变
natural:自然,适合 nod:节点 node:节点 not:说明,记号,意的是,记法 notebook:笔记 numerical:数值
object:对象 observ:观察,看到,观测,使用,计算 obtain:得到,获取,使用 occur:出现,发生,之所,会把
old:旧,通的 operand:操作数 operator:算符,算子 optimizer:优化器 orient:面向 overhead:开销
overlap:重叠 overlapp:重叠 packag:包 page:页 path:路径 performant:性能 polici:策略,政策
potential:可能,潜在 practic:实践,际上,最好 precision:精度 prefetch:预取 preserv:保
prevent:防止,止,个问题,或者 profiler:剖析,已经 program:程序 project:项目 promot:提升
propos:提议,提出 protocol:协议 pseudo:伪随机,伪损 pseudorandom:伪随机 public:公开,公共
pure:纯函,纯,更高效 push:推,压入 race:竞态条 random:随机 rank:秩,进程都会 recent:最近,较新
recomput:重新计 regression:退化,回归 regular:常规,普通,正则,定期 relative:相对,比较,没有
remot:远程 replac:换成,替换,取代,代替 repository:仓库 reshap:变形 reshard:重新分片
restriction:限制 revers:反向 rewrit:改写,重写 rule:规则,法则 sampl:采样,样本,一个由
scatter:散 schem:方案 scop:范围,用域 scratch:暂存,从头 section:一节,本节,这一,节
seen:见过,看到,的一,了解了如,所有 semantical:语义 sequential:顺序,依次 server:服务器
setup:设置,工作,你的,运行 shard:分片 sharp:锋利,陷阱 signal:信号,这些,表明 situ:情况,情形
slow:慢 smaller:小的,小 softwar:软件 sometim:有时 sourc:源 spe:速度,速,这样
specifical:具体,专门,数组 standard:标准 statement:语句 strategy:策略 strid:步幅
subcor:子核心 submodul:子模 subset:部分,子集 sure:确保,函数,确定这,务必
surpris:人意,可能,己又调用,意外 synchroniz:同步 syntax:语法 techniqu:技术,技巧
temporary:临时,暂时 tensor:张量 test:测试,检验 toleranc:容错,容差 toy:例子 tracer:跟踪器
track:追踪,追查,记录 tradeoff:权衡,取舍,代价 transfer:传输 transposition:转置
tre:当作,视为,处理,树 tree:树 trigger:触发,如果 typ:类型 type:类型 undefin:定义
underly:底层,背后 unit:单元,例如 unmapp:未映 utiliz:利用,使用 valid:有效,验证,传播而
variabl:变量 warp:程束 warpgroup:束组 weight:权重 word:说,词语,这种 workload:作负
wrap:包装,封装了 wrapp:包装 writ:写入,读写,的块都拼 zero:零
"""
_LIKELY = """
accidental:不小心,无意中,意外创 accord:按照,根据,函数 actual:实际,真正,其实,真的,实参
addressabl:寻址 advantag:利用,优点 algebra:性代数 analysi:分析 apply:应用 arbitrary:任意
arithmetic:算术,运算 assembl:组装 assertion:断言 assign:分配,可能,自动 atomicity:子性
attempt:尝试,试图,存在 august:年 aval:抽象值 behavior:行为 best:最好,最佳,最适合,不兼,triton
bound:受限,界 boundary:边界 bubbl:气泡 bucket:储桶 built:内置,构建,立在,构成 button:按钮
calcul:计算 callabl:可调 cancell:取消,抵消 capabiliti:能力,的功能 capacity:容量
care:关心,处理,小心,较低 carri:携带,真正,跟踪 cas:情况,用例,使用,如果 cast:转换 caveat:注意
cell:单元 challeng:难题,难 checker:查器 chip:芯片 clas:类 clear:清楚,明确,显然,清晰
click:点击,看更多细 cloud:云 codebas:代码库 color:色 combin:合,跟踪 communic:通信
complet:完成,完整 complexity:复杂 composabl:可组合 conceptual:概念 condition:条件
confus:令人困,由地使 conjug:共轭 connect:连接,相连 const:常量参数,consts constructor:构造
consum:使用,消耗,接收,的输 consumer:消费者,使用 content:内容,目录 contract:缩并,api
contribution:贡献 contributor:献者 control:控制 convenient:方便,个便 convention:约定
conversion:转换 cor:核心 correctnes:正确 correspond:对应,相应 couldn:做不到,没有
cours:当然,过程中 custom:自定,定制 customiz:定义,定制 dataset:数据 dead:死亡 deadlock:死锁
debug:调试 decor:装饰 defin:定义 demonstr:示,表明 depend:取决于,依赖,根据,而异
dependent:取决于,依赖 deriv:推导,派生,数据 design:设计,指定 detail:详细,细节 detect:检测
deterministic:确定 development:开发 diagram:图 dict:字典 dictionari:字典 dictionary:字典
differ:不同,区别,的差异 dimension:维度 direction:方向 disabl:禁用,关闭,停用 discus:讨论
discuss:讨论,如上 discussion:讨论 disk:磁盘 dive:深入,来看一 divisibl:能被 doc:文档,本文
document:文档,本文 dump:转储 easiest:最简单,最容 easy:容易,简单,轻松,使用 effort:版本,力
elimin:消除 emitter:发射器 empty:空 encounter:遇到 epilogu:尾声 equality:相等 estim:估计
event:事件 eventual:最终 executabl:可执 exit:退出 expensiv:开销,代价 explan:解释,定义
exploit:利用 explor:探 express:表达,表示 extract:取出,提取 fair:相当,公平 familiar:熟悉
faster:快,的速度 fault:容错,经受住 featur:功能,特 fill:填充,这个,填 finit:有限 fold:折叠
format:格式 fourth:第四 fragment:片段,存碎 framework:框架 frequent:经常,常见,频繁,最常用
friend:友好,便于,适合 functional:数式,函数,记号 fusion:融合 gener:生成,代 generator:生成器
gotcha:陷阱 grad:内存 handl:处理 hasn:没有 haven:没有,尚未 heartbeat:心跳
heavy:大量使,提高,算的 higher:高阶,更高,高 host:主机 immediate:立即,可能,马上
immutabl:不可变 impact:影响 incompatibl:兼容,不相容 increas:增,内核的,一种
inde:的确,实上,确实 inefficient:低效,效率 inferr:推断 inner:内层,内部 insert:插入
inspection:查看,检查 install:安装 instanti:例化 instruction:指令,说明 intensity:强度
intent:意图 intentional:有意,程序 inter:通信,之间 interconnect:互连 interesting:的是
intermedi:中间 introduc:引入,介绍,带来 issu:问题,发出,issue iter:迭代,遍历 iterator:迭代器
job:作业,作负 july:版本,年 june:版本,年 key:密钥,键 keyword:关键字 latest:最新 launch:启动
leader:领头 least:至少,小上 length:长度 let:让,这样,代码,这个,的内 lifetim:生命周期
lineariz:线性化,use link:链接,链路 literal:字面,真的 loc:位置,位于 logg:日志,记录 logic:逻辑
lookahead:前瞻 lower:降级,低 maintain:维护,保持,维持,属性 manag:管理 manipul:操作,处理
manual:手动 mark:标记,带有 mask:掩码 material:物化,的内容 math:数学,看到 mayb:也许,式胜
meaningful:有意义,修改 minimum:最低,最小,至少 minor:递增,其中 modifi:修改 month:个月
moreover:此外,而且 movement:移动 naiv:朴素 nam:名称,名 namespac:命名空 need:需要,所需的,按需
neighbor:邻居,相邻的 notic:注意,看到 numeric:数值 october:版本,年 oper:操作,运算
opt:选择,可以通过 outer:外层 overwrit:覆盖 parallel:并行 pars:解析 partial:部分,的偏
partition:划分,分区 pass:传 pattern:模式 perhap:也许,可能 permut:置换,permute
persistent:持久 perspectiv:的角度 piec:部分,份数,还缺,信息 pitfall:陷阱 placeholder:占位
placement:放置 plan:计划,平面 pointer:指针 policy:策略,政策 polymorphic:多态 portion:部分
positional:位置 pre:预,commit,omnistaging prealloc:预分 prepar:准备 pretty:相当,打印,法很相
primary:主要 priv:私有 probab:可能,大概,的标量损 profil:剖析 programm:编程
property:性质,属性 queri:查询 query:查询 raw:原始,直接 receiv:收 receiver:接收方
recompil:重新编 record:记录 reduc:reduce,减少,降秩,归约,缩短,减小,降低 reduction:归约,用量
referenc:引用,参考 relax:放宽,松的 reli:依赖,依靠 remov:移除,去掉,不再,需要 rep:回复
represent:表示,代表 reproducibility:可重现 request:请求,要求 resourc:资源
result:得到,设备,所得,编译 return:返回 ring:环 routin:例程 rul:规则 run:运行,执行,如果
safe:安全,使用 sav:保存,节省 save:节省,保存,代码 saveabl:可以保存 scheduler:度器
school:思路,式的工 script:脚本 seed:种子 select:选择,选 sender:发送方 sent:发送,有数据都
serial:序列化,串行 similar:类似,同样,相似,相近 simpler:简单 simplest:最简单的 siz:大小,的块
slic:切片,切成 small:小,少 solution:解决,方案,办法 spann:进程,跨 spec:规格,blockspec,规范
special:特殊,特化,专 specifi:指定 specify:指定,定义 speedup:加速 split:拆分,两个,按行
splitt:拆分 stability:稳定 stabl:稳定 stag:分离,阶段 statical:静态 stor:存储 storag:存储
str:字符串 strict:严格,实现 structur:结构,组织 subproblem:子问 subtl:微妙,隐蔽,察觉的
successful:成功 suit:试套件,适合 support:支持 suppos:假设,如果,我们要手 sync:同步
system:系统 tangent:切向量,的切空间 team:团队 technical:技术,格来说 templ:模板
temporari:暂时,临时 tend:往往,微分倾 third:第三 thread:线程,传递 throw:抛出,方法
thumb:验法则 til:块,平铺 tile:图块,网格轴 today:如今,天的程,目前 tolerant:容错 tool:工具
topology:拓扑 trac:跟踪 traceabl:可跟 trad:内存 traditional:传统 trail:末尾,个维度
transformabl:变换 travers:遍历 tun:调优,工作 unconcaten:反拼 uniform:均匀,统一,一致
union:类型 unlik:不同 unnecessary:不必要 unroll:展开 unsign:无符 upgrad:升级 upper:上界,上角
utility:工具 variant:变体,另一种,提供 vary:变化,输出,而异,很大,实现 version:版本,版
visual:可视化,图 wait:等待,等到 weak:弱类型,上都 wider:提升 width:宽度,位宽
window:窗口,windows,弃用期
"""
_PROBABLE = """
base:基类,基础,少有,代码库 carry:携带,数组,实现 catch:错误,发现,下一次迭,要的 collect:收集
cros:跨,一点 direct:直接 discard:丢弃,训练 equivalent:等价,数组
essential:质上,基本,不可,的核心 external:外部 full:完整,全 guid:指南,引导,指导
implicit:隐式,隐含 import:导入 incorrect:不正确,错误 interaction:作用,何交互
longer:不再,长,访问,不能再,这个 measur:测量,衡量,结果 mention:提到,所述 mov:移到,移
nativ:原生 older:较旧,较早,所用的 open:开,提交 padd:填充 particip:参与 propag:传播 rel:关
releas:发布,版本 see:看到,的输 send:发送,审查 silent:悄无声,静默 simplifi:简化
skip:跳过,跳到 stand:替身,代表,问题,函数 stream:流 tabl:表 target:目标,面向 transferr:传输
warn:警告 workflow:工作流
"""
_RENDERINGS = dict(
    (
        *_read_table(_PROBABLE, 2),
        *_read_table(_LIKELY, 3),
        *_read_table(_ALMOST_SURE, 4),
        *_read_table(_SURE, 5),
    )
)
# A word of its own: no part of a name such as x_0 or a.b.
_WORD = re.compile(r"(?<![\w.-])[a-z]{3,}(?!\w|\.\w)")
_PRESENT = 3  # how much a word that is rendered takes from the weight of a gap
_LEAST_WEIGHT = 6


class _Gap(NamedTuple):
    """Words in a row without a rendering, and how much they weigh together."""

    words: tuple[str, ...] = ()
    weight: int = 0

    def widened(self, word: str, weight: int) -> _Gap:
        """The gap with another word that has no rendering."""
        return _Gap((*self.words, word), self.weight + weight)

    def narrowed(self) -> _Gap:
        """The gap behind a word that has its rendering: a few of those may be there by chance."""
        if self.weight <= _PRESENT:
            return _Gap()
        return _Gap(self.words, self.weight - _PRESENT)


def find_omission(subject: Subject) -> Iterator[Problem]:
    """Words in a row of which the translation has no rendering."""
    for pair in sentences_of(subject):
        gap = _widest_gap(pair)
        if gap.weight < _LEAST_WEIGHT or is_kept(subject.masked_english):
            continue
        words = ", ".join(f"“{word}”" for word in gap.words)
        yield Problem(
            text=f"has nothing for {words}",
            hint="See whether a clause is missing.",
        )


def _widest_gap(pair: SentencePair) -> _Gap:
    """The gap that weighs most. A clause is left out as a whole, so that its words are together.

    Words that stay English may be anywhere, and those of which no rendering is known say nothing.
    """
    chinese = pair.chinese.lower()
    widest = gap = _Gap()
    for word in _WORD.findall(pair.english):
        rendering = rendering_of(word)
        if rendering is None:
            continue
        if any(map(chinese.__contains__, rendering.chinese)):
            if gap.weight:
                gap = gap.narrowed()
        elif word not in chinese:
            gap = gap.widened(word, rendering.weight)
            widest = max(widest, gap, key=lambda either: either.weight)
    return widest


_CODE = re.compile(f"{WORD}+")
# Between two pieces of code that Chinese says the other way round: `B` 的 `A`.
_TURNED = re.compile(r"[\s-]*(?:of|in|for|to|from|on|with)[\s-]+(?:an?\s|the\s)?")
_NEIGHBOURS = 3  # pieces of code behind one that it may have changed places with
# Characters at which a word says about a third of what it says right beside the code.
_REACH_IN_ENGLISH, _REACH_IN_CHINESE = 8, 3
# How much better two must fit in each other's place: measured, see docs/checks-of-meaning.md.
_LEAST_GAIN, _IN_THE_USUAL_ORDER = 0.2, 0.7


class _BothPlaces(NamedTuple):
    """Where something stands that both languages have once."""

    english: Span
    chinese: Span


def find_swap(subject: Subject) -> Iterator[Problem]:
    """The two pieces of code of a message that look most as if they had changed places."""
    codes = _code_places(subject)
    words = _word_places(subject) if len(codes) > 1 else []
    found: list[tuple[float, str, str]] = []
    for number, (code, place) in enumerate(codes):
        for other, other_place in codes[number + 1 : number + 1 + _NEIGHBOURS]:
            start, end = place.english[1], other_place.english[0]
            if ENGLISH_END.search(subject.masked_english, start, end):
                break
            is_same_order = place.chinese < other_place.chinese
            is_turned = (
                _TURNED.fullmatch(subject.masked_english, start, end) is not None
            )
            least = _LEAST_GAIN if is_same_order == is_turned else _IN_THE_USUAL_ORDER
            gain = sum(_pull(word, place, other_place) for word in words) - least
            if gain > 0:
                found.append((gain, code, other))
    if found and not is_kept(subject.masked_english):
        _, code, other = max(found)
        yield Problem(
            text=f"{code} and {other} seem to have changed places",
            hint="Compare the words around each with the English.",
        )


def _pull(word: _BothPlaces, place: _BothPlaces, other: _BothPlaces) -> float:
    """How much a word speaks for it that two pieces of code have changed places."""
    in_english = _nearness(word.english, place.english, _REACH_IN_ENGLISH)
    in_english -= _nearness(word.english, other.english, _REACH_IN_ENGLISH)
    in_chinese = _nearness(word.chinese, place.chinese, _REACH_IN_CHINESE)
    in_chinese -= _nearness(word.chinese, other.chinese, _REACH_IN_CHINESE)
    return -in_english * in_chinese


def _nearness(one: Span, other: Span, reach: int) -> float:
    """How near two spans are: 1 side by side, a third at a distance of ``reach`` characters."""
    return exp(-max(0, other[0] - one[1], one[0] - other[1]) / reach)


def _code_places(subject: Subject) -> list[tuple[str, _BothPlaces]]:
    """The pieces of code that both languages have once, in the order of the English."""
    theirs = _code_spans(subject.masked_english, subject.msgid)
    ours = _code_spans(subject.masked_chinese, subject.msgstr)
    return [
        (code, _BothPlaces(spans[0], ours[code][0]))
        for code, spans in theirs.items()
        if len(spans) == len(ours.get(code, ())) == 1
    ]


def _code_spans(masked: str, text: str) -> dict[str, list[Span]]:
    """Where each piece of code stands in a text."""
    found: dict[str, list[Span]] = {}
    for match in _CODE.finditer(masked):
        found.setdefault(text[match.start() : match.end()], []).append(match.span())
    return found


def _word_places(subject: Subject) -> list[_BothPlaces]:
    """The words that both languages have once, in Chinese as they are rendered or as they are."""
    chinese = subject.masked_chinese.lower()
    found: dict[tuple[str, ...], list[Span]] = {}
    for match in _WORD.finditer(subject.masked_english.lower()):
        rendering = rendering_of(match[0])
        renderings = rendering.chinese if rendering else (match[0],)
        found.setdefault(renderings, []).append(match.span())
    places: list[_BothPlaces] = []
    for renderings, spans in found.items():
        there = [words for words in renderings if words in chinese]
        if len(spans) == 1 and there and chinese.count(there[0]) == 1:
            start = chinese.index(there[0])
            places.append(_BothPlaces(spans[0], (start, start + len(there[0]))))
    return places
