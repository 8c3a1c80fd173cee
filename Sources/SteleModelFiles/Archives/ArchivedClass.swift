/// The classes of the framework's objects in archives.

/// The names of classes. An archive has with each class the names of all its superclasses.
enum ArchivedClass {
    /// The name of a class and of all its superclasses, NSObject last.
    static func hierarchy(of name: String) -> [String] {
        var names = [name]
        var next = superclasses[name]
        while let parent = next {
            names.append(parent)
            next = superclasses[parent]
        }
        return names + ["NSObject"]
    }

    /// The superclass of each class that does not inherit from NSObject itself.
    private static let superclasses = [
        "NSMutableArray": "NSArray",
        "NSMutableDictionary": "NSDictionary",
        "NSDecimalNumberPlaceholder": "NSDecimalNumber",
        "NSDecimalNumber": "NSNumber",
        "NSNumber": "NSValue",
        "NSAttributeDescription": "NSPropertyDescription",
        "NSDerivedAttributeDescription": "NSAttributeDescription",
        "NSRelationshipDescription": "NSPropertyDescription",
        "NSFetchedPropertyDescription": "NSPropertyDescription",
        "NSExpressionDescription": "NSPropertyDescription",
        "NSFetchRequest": "NSPersistentStoreRequest",
        "NSTruePredicate": "NSPredicate",
        "NSFalsePredicate": "NSPredicate",
        "NSCompoundPredicate": "NSPredicate",
        "NSComparisonPredicate": "NSPredicate",
        "NSComparisonPredicateOperator": "NSPredicateOperator",
        "NSEqualityPredicateOperator": "NSPredicateOperator",
        "NSInPredicateOperator": "NSPredicateOperator",
        "NSBetweenPredicateOperator": "NSPredicateOperator",
        "NSStringPredicateOperator": "NSPredicateOperator",
        "NSSubstringPredicateOperator": "NSStringPredicateOperator",
        "NSMatchingPredicateOperator": "NSStringPredicateOperator",
        "NSLikePredicateOperator": "NSMatchingPredicateOperator",
        "NSConstantValueExpression": "NSExpression",
        "NSSelfExpression": "NSExpression",
        "NSAnyKeyExpression": "NSExpression",
        "NSVariableExpression": "NSExpression",
        "NSKeyPathSpecifierExpression": "NSExpression",
        "NSSymbolicExpression": "NSExpression",
        "NSFunctionExpression": "NSExpression",
        "NSKeyPathExpression": "NSFunctionExpression",
        "NSAggregateExpression": "NSExpression",
        "NSSetExpression": "NSExpression",
        "NSTernaryExpression": "NSExpression",
        "NSSubqueryExpression": "NSExpression",
        "NSVariableAssignmentExpression": "NSExpression",
    ]
}
