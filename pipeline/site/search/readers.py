"""Words that readers ask for and translations do not have, by locale.

The glossary says which words translators avoid; these nobody thought of using. A row is what is
asked for and what is looked for then: words of a query all have to be found, in any order.
"""

from __future__ import annotations

from collections.abc import Mapping

Synonyms = tuple[list[str], list[str]]  # as ``pipeline.site.terms.synonyms`` makes them

_READERS: dict[str, list[Synonyms]] = {
    "zh_CN": [
        # Where one begins.
        (["装", "装不上", "环境搭建", "配环境"], ["安装"]),
        (["苹果电脑", "苹果", "macos", "m1", "m2"], ["mac"]),
        (["显卡"], ["gpu"]),
        (["英伟达"], ["nvidia"]),
        (["新手", "初学者", "零基础", "小白", "上手", "从零开始"], ["入门"]),
        (["求助", "提问", "问问题"], ["寻求帮助"]),
        (["词汇表", "名词解释"], ["术语表"]),
        (["更新日志", "更新记录", "新特性"], ["changelog"]),
        (["升级", "更新版本"], ["更新", "版本"]),
        (["不兼容", "弄坏", "用不了"], ["兼容性", "破坏性"]),
        (["版本要求", "最低版本", "新版", "旧版"], ["版本"]),
        # Arrays, types, random numbers.
        (["原地修改", "原地更新", "修改数组", "数组赋值"], ["就地更新"]),
        (["改不了", "不能修改", "不能改", "只读"], ["不可变"]),
        (["下标"], ["索引"]),
        (["64 位浮点", "float64"], ["双精度"]),
        (["误差", "不准", "不精确", "小数点"], ["精度", "精确"]),
        (["转成", "转为", "换成"], ["转换"]),
        (["拷贝"], ["复制"]),
        (["变长", "长度不同", "形状不固定", "大小不固定"], ["动态形状", "形状多态"]),
        (["随机种子", "random seed"], ["种子"]),
        (["抽样"], ["采样"]),
        (["重复使用", "重复用", "复用"], ["重用"]),
        # Functions and what is made of them.
        (["求导"], ["自动微分", "梯度"]),
        (["反传", "反向求导"], ["反向传播", "反向模式"]),
        (["二阶导数", "二阶导"], ["高阶导数", "黑塞"]),
        (["海森", "海塞", "海森矩阵"], ["黑塞矩阵", "hessian"]),
        (["vmap"], ["自动向量化"]),
        (["批量计算", "批量处理", "一次处理"], ["向量化", "批处理"]),
        (["if 语句", "条件分支", "条件判断"], ["条件语句", "控制流"]),
        (["提前编译"], ["预先编译", "aot"]),
        (["重编译", "反复编译"], ["重新编译"]),
        (["自定义算子", "自己写算子"], ["原语", "ffi"]),
        (["cpp", "c++", "c 语言"], ["ffi"]),
        (["计算图"], ["jaxpr"]),
        (["成员函数", "成员方法"], ["类的方法"]),
        (["算完", "执行完", "运行完", "等待结果"], ["block_until_ready", "异步派发"]),
        # Errors and how to find them.
        (["报错", "出错"], ["错误"]),
        (["排错", "查错"], ["调试"]),
        (["中间值", "中间结果", "中间变量"], ["运行时的值"]),
        (["关掉", "关闭", "停用", "关了"], ["禁用"]),
        (["废弃", "过时", "淘汰"], ["弃用"]),
        (["断线", "掉线", "崩溃", "宕机", "挂了"], ["故障", "容错"]),
        (["卡住", "卡死", "没反应"], ["死锁", "阻塞"]),
        # Speed and memory.
        (["很慢", "太慢", "太久", "卡顿", "耗时", "半天"], ["慢"]),
        (["变慢", "速度下降", "性能下降"], ["慢", "退化"]),
        (["提速", "加速", "调优"], ["性能技巧"]),
        (["性能分析"], ["性能剖析"]),
        (["计时", "测速", "测时间", "跑分"], ["基准测试"]),
        (["显存"], ["GPU 内存", "设备内存"]),
        (
            ["爆显存", "显存不足", "爆内存", "oom", "out of memory"],
            ["内存不足", "GPU 内存"],
        ),
        (["放不下", "装不下"], ["内存不足", "分片"]),
        (["省显存", "节省显存", "省内存", "节省内存"], ["梯度检查点", "内存"]),
        (["占满", "占用率", "占用"], ["占用", "预分配"]),
        # Many devices.
        (
            ["多卡", "多 gpu", "单机多卡", "multi gpu", "multiple gpus"],
            ["多个设备", "分布式数组"],
        ),
        (["多机", "多节点", "多机多卡", "多台机器", "集群"], ["多主机", "多进程"]),
        (["模型并行", "数据并行"], ["并行化"]),
        (["切分", "拆分数据"], ["分片"]),
        (["allreduce", "all reduce"], ["集合通信"]),
        # Around a model.
        (["读数据", "读取数据", "载入数据", "dataloader"], ["加载数据", "数据加载"]),
        (["部署", "保存模型"], ["导出"]),
        (["存盘", "存到文件", "保存到文件"], ["序列化"]),
        (["权重"], ["参数"]),
        (["多线程", "线程安全"], ["并发"]),
        (["提代码", "提 pr", "pr"], ["拉取请求"]),
        # Functions that lists of names tell by their English names only.
        (["排序"], ["sort", "argsort"]),
        (["去重"], ["unique"]),
        (["拼接数组", "数组拼接"], ["concatenate", "stack"]),
        (["累加", "累积和"], ["cumsum"]),
        (["平均值", "均值"], ["mean"]),
        (["标准差"], ["std"]),
        (["中位数"], ["median"]),
        (["直方图"], ["histogram"]),
        (["插值"], ["interp", "interpolate"]),
        (["傅里叶变换"], ["fft"]),
        (["爱因斯坦求和"], ["einsum"]),
        (["范数"], ["norm"]),
        (["行列式"], ["det"]),
        (["逆矩阵", "矩阵求逆"], ["inv"]),
        (["线性方程组"], ["solve"]),
        (["最小二乘"], ["lstsq"]),
        (["特征值", "特征向量"], ["eig", "eigh"]),
        (["奇异值分解"], ["svd"]),
        (["正态分布", "高斯分布"], ["normal"]),
        (["均匀分布"], ["uniform"]),
        (["随机整数"], ["randint"]),
        (["打乱", "洗牌"], ["permutation", "shuffle"]),
        (["独热编码", "独热"], ["one_hot"]),
    ],
}


def readers_words(locale: str, usual_names: Mapping[str, str]) -> list[Synonyms]:
    """What the readers of a locale ask for, and what code calls modules by custom: ``np``."""
    rows: list[Synonyms] = []
    for short, module in usual_names.items():
        # Who asks for a part of a name finds the name.
        if short not in module.split("."):
            rows.append(([short], [module]))
    return [*rows, *_READERS.get(locale, [])]
